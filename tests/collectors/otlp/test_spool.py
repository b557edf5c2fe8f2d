"""The spool: what is acknowledged can be read back, whatever happened to the end of the file."""

import resource
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from collectors.otlp.spool import FullError, Spool
from collectors.otlp.spool_files import Frame, Place, encode_frame, segment_path, segments
from collectors.otlp.spool_reader import delete_drained, scan_from, set_aside


def frame(body, signal="logs"):
    """Return a frame."""
    return Frame(signal, "protobuf", 1_700_000_000_000_000_000, 1, 2, body)


def append_all(spool, bodies):
    """Append and wait until all are on disk; return what the spool answered."""
    answers, arrived = [], threading.Semaphore(0)

    def done(fault):
        answers.append(fault)
        arrived.release()

    for body in bodies:
        spool.append(frame(body), done)
    for _ in bodies:
        assert arrived.acquire(timeout=20)
    return answers


START = Place()


def bodies_in(directory, start=START, *, is_ended=True):
    """Return the bodies that a reader finds."""
    return [found.frame.body for found in scan_from(directory, start, is_ended=is_ended)]


def written(directory, *frames, number=1):
    """Write a segment by hand; return its bytes."""
    data = b"".join(part for each in frames for part in encode_frame(each))
    segment_path(directory, number).write_bytes(data)
    return data


def test_frames_come_back_in_order(tmp_path):
    """What was appended is read back as it was, in order, across segments."""
    bodies = [b"body %d " % number * 100 for number in range(200)]
    spool = Spool(tmp_path, segment_bytes=4096)
    assert append_all(spool, bodies[:100]) == [None] * 100
    assert append_all(spool, bodies[100:]) == [None] * 100
    spool.close()
    assert bodies_in(spool.directory) == bodies
    assert len(segments(spool.directory)) > 1
    first = next(scan_from(spool.directory, Place(), is_ended=True))
    assert first.frame == frame(bodies[0])


def test_reading_goes_on_where_it_stopped(tmp_path):
    """From the place behind a frame the reader finds exactly the following ones."""
    spool = Spool(tmp_path, segment_bytes=100)
    bodies = [b"%03d" % number * 20 for number in range(30)]
    for body in bodies:
        append_all(spool, [body])
    places = [found.end for found in scan_from(spool.directory, Place(), is_ended=False)]
    spool.close()
    for number, place in enumerate(places):
        assert bodies_in(spool.directory, place) == bodies[number + 1 :]


def test_a_torn_end_is_passed_over_at_every_cut(tmp_path):
    """However many bytes of the last frame reached the disk, the frames before it are read and nothing else."""
    data = written(tmp_path, frame(b"first"), frame(b"second"), frame(b"the last one"))
    whole = len(data) - len(b"".join(encode_frame(frame(b"the last one"))))
    for cut in range(whole, len(data)):
        segment_path(tmp_path, 1).write_bytes(data[:cut])
        for is_ended in (True, False):
            assert bodies_in(tmp_path, is_ended=is_ended) == [b"first", b"second"]


def test_a_torn_end_does_not_hide_the_next_segment(tmp_path):
    """After a failed write the next segment is read as well."""
    data = written(tmp_path, frame(b"first"), frame(b"torn"))
    segment_path(tmp_path, 1).write_bytes(data[:-2])
    written(tmp_path, frame(b"second"), number=2)
    assert bodies_in(tmp_path, is_ended=False) == [b"first", b"second"]


@settings(max_examples=60)
@given(st.data())
def test_a_damaged_byte_costs_one_frame(tmp_path_factory, data):
    """A flipped bit costs the frame that holds it, and the bytes are counted; the others are found again."""
    directory = tmp_path_factory.mktemp("spool")
    bodies = [b"first" * 9, b"second" * 9, b"third" * 9]
    content = bytearray(written(directory, *map(frame, bodies)))
    position = data.draw(st.integers(0, len(content) - 1))
    content[position] ^= 1 << data.draw(st.integers(0, 7))
    segment_path(directory, 1).write_bytes(content)
    found = list(scan_from(directory, Place(), is_ended=True))
    lost = [body for body in bodies if body not in [each.frame.body for each in found]]
    assert len(lost) == 1
    assert len(found) == 2
    assert sum(each.skipped_bytes for each in found) > 0 or lost == [bodies[-1]]


def test_what_is_being_written_is_not_damage(tmp_path):
    """In the last segment of a live writer a frame that is not whole is waited for, not skipped."""
    data = written(tmp_path, frame(b"first"), frame(b"second"), frame(b"third"))
    torn = data.index(b"second")
    segment_path(tmp_path, 1).write_bytes(data[:torn] + b"XXXXXX" + data[torn + 6 :])
    assert bodies_in(tmp_path, is_ended=False) == [b"first"]
    assert bodies_in(tmp_path, is_ended=True) == [b"first", b"third"]


def test_a_full_spool_refuses_and_recovers(tmp_path):
    """Beyond its limit the spool takes nothing; once the reader has deleted what it drained it takes on."""
    spool = Spool(tmp_path, max_bytes=40_000, segment_bytes=4_000)
    for _ in range(36):
        append_all(spool, [bytes(1_000)])
    with pytest.raises(FullError):
        append_all(spool, [bytes(4_000)])
    last = list(scan_from(spool.directory, Place(), is_ended=False))[-1]
    for _ in range(100):
        delete_drained(spool.directory, last.end)
        if spool.bytes_on_disk < 5_000:
            break
        threading.Event().wait(0.05)
    assert append_all(spool, [b"again"]) == [None]
    spool.close()
    assert bodies_in(spool.directory, last.end) == [b"again"]


def test_one_large_frame_fits_an_almost_empty_spool(tmp_path):
    """A body larger than a segment is one frame all the same."""
    spool = Spool(tmp_path, max_bytes=1 << 20, segment_bytes=1_000)
    assert append_all(spool, [bytes(500_000), b"next"]) == [None, None]
    spool.close()
    assert bodies_in(spool.directory) == [bytes(500_000), b"next"]


def test_a_disk_that_takes_no_more_refuses_and_recovers(tmp_path):
    """A write that fails is a refusal, what was acknowledged before stays, and the next write is tried afresh."""
    spool = Spool(tmp_path)
    append_all(spool, [b"before"])
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, hard))
    try:
        refused = append_all(spool, [bytes(90_000)])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert isinstance(refused[0], FullError)
    assert append_all(spool, [b"after"]) == [None]
    spool.close()
    assert bodies_in(spool.directory) == [b"before", b"after"]


def test_a_closed_spool_takes_nothing(tmp_path):
    """Closing writes what was taken, lets go of the lock and refuses the rest; twice is once."""
    spool = Spool(tmp_path)
    append_all(spool, [b"taken"])
    spool.close()
    spool.close()
    with pytest.raises(FullError):
        spool.append(frame(b"late"), lambda fault: None)
    assert bodies_in(spool.directory) == [b"taken"]


def test_only_the_owner_may_read_the_spool(tmp_path):
    """Bodies wait unredacted, so nobody else may read them."""
    spool = Spool(tmp_path / "root")
    append_all(spool, [b"secret"])
    spool.close()
    modes = [path.stat().st_mode & 0o077 for path in (tmp_path / "root", spool.directory, *segments(spool.directory))]
    assert modes == [0, 0, 0]


def test_a_frame_is_set_aside_whole(tmp_path):
    """A frame that cannot be stored is copied to where it can be looked at."""
    (tmp_path / "run-1").mkdir()
    written(tmp_path / "run-1", frame(b"first"), frame(b"poison"))
    first = next(scan_from(tmp_path / "run-1", Place(), is_ended=True))
    copy = set_aside(tmp_path / "run-1", tmp_path, first.end, is_ended=True)
    assert copy.read_bytes() == b"".join(encode_frame(frame(b"poison")))
