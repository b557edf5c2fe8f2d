"""What happens to an agent that uses `tool`: one story, one function; either agent can live through most of them."""
