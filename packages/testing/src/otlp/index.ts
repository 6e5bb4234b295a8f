import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { Server, ServerCredentials, type ServerUnaryCall, type sendUnaryData } from '@grpc/grpc-js'
import { type ReceivedSpan, spansInJson, spansInProtobuf } from './received-span.ts'

export type { ReceivedSpan } from './received-span.ts'

/** One export: `body` as it was sent, behind its compression. */
type ReceivedExport = Readonly<{ headers: IncomingHttpHeaders; body: Buffer; spans: readonly ReceivedSpan[] }>

/** A collector over HTTP (protobuf and JSON at `/v1/traces`) and gRPC. It keeps all that it gets. */
export type OtlpReceiver = Readonly<{
  /** For `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  url: string
  grpcUrl: string
  exports: readonly ReceivedExport[]
  spans: () => readonly ReceivedSpan[]
  /** The status of each answer from now on; `never`: it answers no more. */
  answer: (status: number | 'never') => void
  close: () => Promise<void>
}>

const EXPORT = {
  path: '/opentelemetry.proto.collector.trace.v1.TraceService/Export',
  requestStream: false,
  responseStream: false,
  requestSerialize: (value: Buffer) => value,
  requestDeserialize: (value: Buffer) => value,
  responseSerialize: (value: Buffer) => value,
  responseDeserialize: (value: Buffer) => value,
} as const

const bodyOf = async (request: IncomingMessage): Promise<Buffer> => {
  const sent = await buffer(request)
  return request.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent
}

const portOf = (address: ReturnType<ReturnType<typeof createServer>['address']>): number =>
  typeof address === 'object' && address !== null ? address.port : 0

const listenGrpc = async (took: (body: Buffer) => void): Promise<Readonly<{ server: Server; port: number }>> => {
  const server = new Server()
  server.addService(
    { export: EXPORT },
    {
      export: (call: ServerUnaryCall<Buffer, Buffer>, done: sendUnaryData<Buffer>) => {
        took(call.request)
        done(null, Buffer.alloc(0))
      },
    },
  )
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) => (error ? reject(error) : resolve(port)))
  return { server, port: await promise }
}

export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const exports: ReceivedExport[] = []
  let status: number | 'never' = 200
  const server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      if (status === 'never') return
      if (status === 200) {
        const isJson = request.headers['content-type'] === 'application/json'
        exports.push({ headers: request.headers, body, spans: isJson ? spansInJson(body) : spansInProtobuf(body) })
      }
      response.writeHead(status).end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const grpc = await listenGrpc((body) => exports.push({ headers: {}, body, spans: spansInProtobuf(body) }))
  return {
    url: `http://127.0.0.1:${portOf(server.address())}`,
    grpcUrl: `http://127.0.0.1:${grpc.port}`,
    exports,
    spans: () => exports.flatMap(({ spans }) => spans),
    answer: (next) => {
      status = next
    },
    close: async () => {
      grpc.server.forceShutdown()
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
