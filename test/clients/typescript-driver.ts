import { ApiError, ConnectionError, isBuiltIn, Tidings, verifyWebhook, WebhookError } from '../../clients/typescript/src/index.ts'
import type { ClientCall, ClientResult, Driver } from './driver.ts'

type AnyMethod = (this: object, ...args: readonly unknown[]) => unknown

const isMethod = (value: unknown): value is AnyMethod => typeof value === 'function'

const methodOf = (client: object, name: string): Readonly<{ self: object; method: AnyMethod }> => {
  const [group = '', own] = name.split('.')
  const self: unknown = own === undefined ? client : Reflect.get(client, group)
  const method: unknown = typeof self === 'object' && self !== null ? Reflect.get(self, own ?? group) : undefined
  if (typeof self !== 'object' || self === null || !isMethod(method)) throw new TypeError(`the client has no ${name}`)
  return { self, method }
}

const isIterable = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value

const invoke = async (client: Tidings, { call, ids = [], body, query, options }: ClientCall): Promise<unknown> => {
  const { self, method } = methodOf(client, call)
  const given = method.call(self, ...ids, ...[body, query, options].filter((one) => one !== undefined))
  if (!isIterable(given)) return await given
  const items: unknown[] = []
  for await (const item of given) items.push(item)
  return items
}

const saidOf = (error: unknown): NonNullable<ClientResult['error']> => {
  if (error instanceof ApiError) {
    const { name, status, code = null, requestId, retryAfterSeconds, details, call } = error
    const { attempts, idempotencyKey } = call
    return { name, status, code, requestId, retryAfterSeconds, details, attempts, idempotencyKey }
  }
  if (error instanceof ConnectionError)
    return { name: error.name, attempts: error.call.attempts, idempotencyKey: error.call.idempotencyKey }
  if (error instanceof TypeError) return { name: 'WrongUse', attempts: 0, idempotencyKey: null }
  throw error
}

/** The client of clients/typescript, from its source. */
export const typescriptDriver: Driver = {
  name: 'TypeScript',
  call: async ({ workspace = 'demo', key = `sk_evt_${'0'.repeat(64)}`, ...settings }, call) => {
    const [waits, announced]: [number[], number[]] = [[], []]
    const sleep = async (ms: number) => {
      waits.push(ms)
    }
    const client = new Tidings({ workspace, key, sleep, onRetry: ({ waitMs }) => void announced.push(waitMs), ...settings })
    try {
      return { value: (await invoke(client, call)) ?? null, waits, announced }
    } catch (error) {
      return { error: saidOf(error), waits, announced }
    }
  },
  verify: async (request) => {
    try {
      const event = await verifyWebhook(request)
      return { event, builtIn: isBuiltIn(event) }
    } catch (error) {
      if (error instanceof WebhookError) return { refused: error.reason }
      if (error instanceof TypeError) return { refused: 'WrongUse' }
      throw error
    }
  },
  stop: async () => {},
}
