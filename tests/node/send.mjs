// Sends log records through a real exporter: node send.mjs http/json|http/protobuf|grpc ENDPOINT COUNT
import { BatchLogRecordProcessor, LoggerProvider } from "@opentelemetry/sdk-logs";
import { OTLPLogExporter as GrpcExporter } from "@opentelemetry/exporter-logs-otlp-grpc";
import { OTLPLogExporter as JsonExporter } from "@opentelemetry/exporter-logs-otlp-http";
import { OTLPLogExporter as ProtobufExporter } from "@opentelemetry/exporter-logs-otlp-proto";

const [protocol, url, count] = process.argv.slice(2);
const exporters = { "http/json": JsonExporter, "http/protobuf": ProtobufExporter, grpc: GrpcExporter };
const exporter = new exporters[protocol]({ url });
// the queue must hold everything: the stock size drops what does not fit
const processor = new BatchLogRecordProcessor({ exporter, maxQueueSize: Number(count) + 1, maxExportBatchSize: 64 });
const provider = new LoggerProvider({ processors: [processor] });
const logger = provider.getLogger("sender");
for (let number = 0; number < Number(count); number++) {
  logger.emit({
    eventName: `node.${protocol}`,
    timestamp: Date.now(),
    severityNumber: 9,
    body: `record ${number}`,
    attributes: { number, ratio: 0.5, nothing: NaN, flags: ["a", "b"], nested: { deep: true } },
  });
}
await provider.forceFlush();
await provider.shutdown();
