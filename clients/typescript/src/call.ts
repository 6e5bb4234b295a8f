import type { Client } from 'openapi-fetch'
import type { operations, paths } from './generated/schema.ts'
import { webCrypto } from './web-crypto.ts'

/** The routes, as openapi-fetch calls them. */
export type Api = Client<paths>

/** The query of an operation. */
export type Query<Id extends keyof operations> = NonNullable<operations[Id]['parameters']['query']>

/** What any call takes beside its own arguments. */
export type ReadOptions = Readonly<{
  /** Ends the call, and its retries. */
  signal?: AbortSignal
  headers?: Readonly<Record<string, string>>
}>

/** What a call that writes takes beside its own arguments. */
export type WriteOptions = ReadOptions &
  Readonly<{
    /** By default a new random one for each call. One of your own, such as the number of an order, holds over restarts, for 24 hours. */
    idempotencyKey?: string
  }>

/** What a call takes that a connector of a store makes: its secret opens the route. */
export type ConnectorOptions = WriteOptions & Readonly<{ connectorSecret: string }>

type Init = { headers: Record<string, string>; signal?: AbortSignal }

/** What openapi-fetch takes of the options of a read. */
export function readInit({ signal, headers }: ReadOptions): Init {
  return { headers: { ...headers }, ...(signal && { signal }) }
}

/** The same of a write: every one has an `Idempotency-Key`, so that it may be sent again. */
export async function writeInit({ idempotencyKey, ...options }: WriteOptions): Promise<Init> {
  const init = readInit(options)
  const key = idempotencyKey ?? (await webCrypto()).randomUUID()
  return { ...init, headers: { ...init.headers, 'Idempotency-Key': key } }
}

/** The same of a connector. */
export async function connectorInit({ connectorSecret, ...options }: ConnectorOptions): Promise<Init> {
  const init = await writeInit(options)
  return { ...init, headers: { ...init.headers, 'X-Connector-Secret': connectorSecret } }
}

/** What an answer holds. What is no success was thrown by `createSender`. */
export function dataOf<Data>({ data }: Readonly<{ data?: Readonly<{ data: Data }> | undefined }>): Data {
  if (data === undefined) throw new TypeError('an answer without data')
  return data.data
}

type Page<Item> = Readonly<{ items: readonly Item[]; next_cursor: string | null }>

/** The records of all pages from the query's on. It ends with a page that says that none follows. */
export async function* eachOf<PageQuery extends object, Item>(
  list: (query: PageQuery & { offset?: number }) => Promise<Page<Item>>,
  query: PageQuery,
): AsyncGenerator<Item> {
  let offset = -1
  for (let page = await list(query); ; ) {
    yield* page.items
    if (page.next_cursor === null) return
    offset = offsetAfter(offset, page.next_cursor)
    page = await list({ ...query, offset })
  }
}

/** Where the next page begins. A list whose pages do not go on would never end. */
const offsetAfter = (offset: number, cursor: string): number => {
  const next = /^\d+$/.test(cursor) ? Number(cursor) : Number.NaN
  if (!Number.isSafeInteger(next) || next <= offset) throw new TypeError('the next page of the list is not behind this one')
  return next
}
