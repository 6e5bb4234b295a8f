import { type Static, type TSchema, Type } from '@sinclair/typebox'

const limit = (maximum: number, byDefault: number) => Type.Optional(Type.Integer({ minimum: 1, maximum, default: byDefault }))

/** Query of the standard family: limit 1 to 100 (50), offset (0). Spread it first, own filters after it. */
export const standardQuery = {
  limit: limit(100, 50),
  offset: Type.Optional(Type.Integer({ minimum: 0, default: 0 })),
}

const RICH_LIMIT = 200

/** The last page whose offset has all its digits in a JSON number, whatever the limit. */
const LAST_PAGE = Math.floor(Number.MAX_SAFE_INTEGER / RICH_LIMIT)

/** Query of the rich family: limit 1 to 200 (25), `offset` wins over `page`; neither means the first page. */
export const richQuery = {
  limit: limit(RICH_LIMIT, 25),
  offset: Type.Optional(Type.Integer({ minimum: 0 })),
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: LAST_PAGE })),
}

export const StandardQuery = Type.Object(standardQuery)
export type StandardQuery = Static<typeof StandardQuery>

/** A page of `item`s as every paginated endpoint answers it. */
export function pageOf<Item extends TSchema>(item: Item) {
  return Type.Object({
    items: Type.Array(item),
    limit: Type.Integer(),
    offset: Type.Integer(),
    total: Type.Integer(),
    has_more: Type.Boolean(),
    next_cursor: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
  })
}

export type Page<Item> = {
  items: Item[]
  limit: number
  offset: number
  total: number
  has_more: boolean
  next_cursor: string | null
}
