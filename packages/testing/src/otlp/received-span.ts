import protobuf from 'google-protobuf'

/** A span as a collector gets it. Times in nanoseconds. */
export type ReceivedSpan = Readonly<{
  service: string
  instance: string
  traceId: string
  spanId: string
  parentSpanId: string
  name: string
  /** 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
  kind: number
  start: bigint
  end: bigint
  attributes: Readonly<Record<string, string | number>>
  links: readonly Readonly<{ traceId: string; spanId: string }>[]
  isError: boolean
}>

type Fields = ReadonlyMap<number, readonly Value[]>
type Value = Uint8Array | bigint

/** The fields of a message: what is delimited as bytes, every number as a bigint. */
const fieldsOf = (bytes: Uint8Array): Fields => {
  const reader = new protobuf.BinaryReader(bytes)
  const fields = new Map<number, Value[]>()
  while (reader.nextField() && !reader.isEndGroup()) {
    const type = reader.getWireType()
    const value =
      type === 2
        ? reader.readBytes()
        : BigInt(type === 1 ? reader.readFixed64String() : type === 5 ? reader.readFixed32() : reader.readInt64String())
    const known = fields.get(reader.getFieldNumber()) ?? []
    fields.set(reader.getFieldNumber(), [...known, value instanceof Uint8Array || typeof value === 'bigint' ? value : Buffer.from(value)])
  }
  return fields
}

const bytesIn = (fields: Fields, number: number): readonly Uint8Array[] =>
  (fields.get(number) ?? []).filter((value): value is Uint8Array => typeof value !== 'bigint')
const hexIn = (fields: Fields, number: number): string => Buffer.from(bytesIn(fields, number)[0] ?? []).toString('hex')
const textIn = (fields: Fields, number: number): string => Buffer.from(bytesIn(fields, number)[0] ?? []).toString('utf8')
const numberIn = (fields: Fields, number: number): bigint => {
  const value = fields.get(number)?.[0] ?? 0n
  return typeof value === 'bigint' ? value : 0n
}

const attributesIn = (fields: Fields, number: number): Record<string, string | number> =>
  Object.fromEntries(
    bytesIn(fields, number).map((bytes) => {
      const pair = fieldsOf(bytes)
      const value = fieldsOf(bytesIn(pair, 2)[0] ?? new Uint8Array())
      return [textIn(pair, 1), value.has(1) ? textIn(value, 1) : Number(numberIn(value, 3))]
    }),
  )

type Resource = Readonly<Record<string, string | number>>

const spanIn = (bytes: Uint8Array, resource: Resource): ReceivedSpan => {
  const fields = fieldsOf(bytes)
  const status = fieldsOf(bytesIn(fields, 15)[0] ?? new Uint8Array())
  return {
    service: String(resource['service.name']),
    instance: String(resource['service.instance.id']),
    traceId: hexIn(fields, 1),
    spanId: hexIn(fields, 2),
    parentSpanId: hexIn(fields, 4),
    name: textIn(fields, 5),
    kind: Number(numberIn(fields, 6)),
    start: numberIn(fields, 7),
    end: numberIn(fields, 8),
    attributes: attributesIn(fields, 9),
    links: bytesIn(fields, 13).map((link) => ({ traceId: hexIn(fieldsOf(link), 1), spanId: hexIn(fieldsOf(link), 2) })),
    isError: numberIn(status, 3) === 2n,
  }
}

/** Reads an `ExportTraceServiceRequest` (opentelemetry-proto) in its binary form. */
export function spansInProtobuf(body: Uint8Array): readonly ReceivedSpan[] {
  return bytesIn(fieldsOf(body), 1).flatMap((bytes) => {
    const ofResource = fieldsOf(bytes)
    const resource = attributesIn(fieldsOf(bytesIn(ofResource, 1)[0] ?? new Uint8Array()), 1)
    return bytesIn(ofResource, 2).flatMap((scope) => bytesIn(fieldsOf(scope), 2).map((span) => spanIn(span, resource)))
  })
}

type JsonAttribute = Readonly<{ key: string; value: Readonly<{ stringValue?: string; intValue?: string | number }> }>
type JsonSpan = Readonly<{
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes?: readonly JsonAttribute[]
  links?: readonly Readonly<{ traceId: string; spanId: string }>[]
  status?: Readonly<{ code?: number }>
}>
type JsonRequest = Readonly<{
  resourceSpans: readonly Readonly<{
    resource: Readonly<{ attributes: readonly JsonAttribute[] }>
    scopeSpans: readonly Readonly<{ spans: readonly JsonSpan[] }>[]
  }>[]
}>

const fromJson = (attributes: readonly JsonAttribute[] = []): Record<string, string | number> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)]))

/** Reads an `ExportTraceServiceRequest` in its JSON form. */
export function spansInJson(body: Uint8Array): readonly ReceivedSpan[] {
  // The cast is the edge to the form that the protocol fixes.
  const { resourceSpans } = JSON.parse(Buffer.from(body).toString('utf8')) as JsonRequest
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const about = fromJson(resource.attributes)
    return scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        service: String(about['service.name']),
        instance: String(about['service.instance.id']),
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId ?? '',
        name: span.name,
        kind: span.kind,
        start: BigInt(span.startTimeUnixNano),
        end: BigInt(span.endTimeUnixNano),
        attributes: fromJson(span.attributes),
        links: (span.links ?? []).map(({ traceId, spanId }) => ({ traceId, spanId })),
        isError: span.status?.code === 2,
      })),
    )
  })
}
