/** What a span may say (M69); nothing else leaves the process. Names of the semantic conventions of OpenTelemetry, and our own. */
const NAMES = [
  'http.request.method',
  'http.route',
  'http.response.status_code',
  'error.type',
  'server.address',
  'server.port',
  'messaging.system',
  'messaging.operation.type',
  'messaging.destination.name',
  'tidings.request_id',
  'tidings.position',
  'tidings.workspace',
  'tidings.provider',
  'tidings.attempt',
  'tidings.outcome',
] as const

type Name = (typeof NAMES)[number]

/** `undefined`: not known. */
export type SpanAttributes = Readonly<Partial<Record<Name, string | number | undefined>>>

const KNOWN: ReadonlySet<string> = new Set(NAMES)

/** Names of routes, providers, kinds, workspaces and errors are such texts; an address of a person or a sentence is none. */
const PLAIN = /^[\w./:*#{}?[\]-]{1,200}$/

/** What may be said of these: known names, numbers, and texts that can be no sentence and no address. */
export function plainAttributes(given: SpanAttributes): Record<string, string | number> {
  const plain: Record<string, string | number> = {}
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || !KNOWN.has(name)) continue
    if (typeof value === 'number' ? Number.isFinite(value) : PLAIN.test(value)) plain[name] = value
  }
  return plain
}

const HOST_AND_PORT = /^(\[[\da-f:]+\]|[\w.-]+):(\d{1,5})(#[\w-]*)?$/i

/** A provider by its label, which is its `host:port` where several are listed, else its name (M68). */
export function providerAttributes(label: string): SpanAttributes {
  const [, host, port] = HOST_AND_PORT.exec(label) ?? []
  return { 'tidings.provider': label, ...(host !== undefined && { 'server.address': host, 'server.port': Number(port) }) }
}

/** The kind of an error: the name of its class, never its words. */
export function errorType(error: unknown): string {
  const name = error instanceof Error ? error.name : typeof error
  return /^\w{1,60}$/.test(name) ? name : 'Error'
}
