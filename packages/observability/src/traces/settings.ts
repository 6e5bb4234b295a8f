type Environment = Readonly<Record<string, string | undefined>>

export type Protocol = 'http/protobuf' | 'http/json' | 'grpc'

type SamplerName =
  | 'always_on'
  | 'always_off'
  | 'traceidratio'
  | 'parentbased_always_on'
  | 'parentbased_always_off'
  | 'parentbased_traceidratio'

/** `ratio`: of a sampler by ratio. `mistakes`: what the environment says that is not taken; each is a line of the log. */
export type TraceSettings = Readonly<{
  protocol: Protocol
  sampler: SamplerName
  ratio: number
  batch: Readonly<{ scheduledDelayMillis?: number; exportTimeoutMillis?: number; maxQueueSize?: number; maxExportBatchSize?: number }>
  mistakes: readonly string[]
}>

const PROTOCOLS: readonly Protocol[] = ['http/protobuf', 'http/json', 'grpc']
const SAMPLERS: readonly SamplerName[] = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
]
/** The most spans that wait: an exporter that is away must not take the memory, whatever is set. */
const MAX_QUEUE = 65_536

const BATCH = {
  scheduledDelayMillis: ['OTEL_BSP_SCHEDULE_DELAY', 3_600_000],
  exportTimeoutMillis: ['OTEL_BSP_EXPORT_TIMEOUT', 3_600_000],
  maxQueueSize: ['OTEL_BSP_MAX_QUEUE_SIZE', MAX_QUEUE],
  maxExportBatchSize: ['OTEL_BSP_MAX_EXPORT_BATCH_SIZE', MAX_QUEUE],
} as const

/** An empty variable counts as not set, as the specification says. */
const textIn = (env: Environment, name: string): string | undefined => env[name]?.trim() || undefined

/**
 * What the standard variables say; null where traces are off: no endpoint, `OTEL_SDK_DISABLED=true`, or another exporter than `otlp`. The exporters read the
 * rest themselves: endpoints, headers, timeout, compression, certificates.
 */
export function traceSettings(env: Environment): TraceSettings | null {
  const endpoint = textIn(env, 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') ?? textIn(env, 'OTEL_EXPORTER_OTLP_ENDPOINT')
  if (endpoint === undefined || textIn(env, 'OTEL_SDK_DISABLED')?.toLowerCase() === 'true') return null
  const exporters = textIn(env, 'OTEL_TRACES_EXPORTER')?.split(',') ?? ['otlp']
  if (!exporters.some((name) => name.trim() === 'otlp')) return null
  const mistakes: string[] = URL.canParse(endpoint)
    ? []
    : ['OTEL_EXPORTER_OTLP_ENDPOINT, or the one for traces, is no address: spans go to this machine']
  const oneOf = <T extends string>(names: readonly string[], known: readonly T[], otherwise: T): T => {
    const name = names.find((one) => textIn(env, one) !== undefined)
    const given = name === undefined ? undefined : textIn(env, name)
    const found = known.find((one) => one === given)
    if (given !== undefined && found === undefined) mistakes.push(`${name} is none of ${known.join(', ')}: ${otherwise} is used`)
    return found ?? otherwise
  }
  const protocol = oneOf(['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL'], PROTOCOLS, 'http/protobuf')
  const sampler = oneOf(['OTEL_TRACES_SAMPLER'], SAMPLERS, 'parentbased_always_on')
  const numberIn = (name: string, isValid: (value: number) => boolean): number | undefined => {
    const text = textIn(env, name)
    if (text === undefined || isValid(Number(text))) return text === undefined ? undefined : Number(text)
    mistakes.push(`${name} is not a number that it may be: its default is used`)
    return undefined
  }
  const ratio = numberIn('OTEL_TRACES_SAMPLER_ARG', (value) => value >= 0 && value <= 1) ?? 1
  const batch = Object.fromEntries(
    Object.entries(BATCH).flatMap(([field, [name, most]]) => {
      const value = numberIn(name, (one) => Number.isInteger(one) && one > 0 && one <= most)
      return value === undefined ? [] : [[field, value]]
    }),
  )
  return { protocol, sampler, ratio, batch, mistakes }
}
