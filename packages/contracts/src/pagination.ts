import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { described } from './described.ts'
import { nullableText } from './kinds.ts'

const limit = (maximum: number, byDefault: number) => Type.Optional(Type.Integer({ minimum: 1, maximum, default: byDefault }))

/** Query of the standard family: limit 1 to 100 (50), offset (0). Spread it first, own filters after it. */
export const standardQuery = {
  limit: limit(100, 50),
  offset: Type.Optional(Type.Integer({ minimum: 0, default: 0 })),
}

export const standardSentences = {
  limit: 'How many records a page holds at most, 1 to 100; anything else is 400 and not clamped.',
  offset: 'How many records come before the page. Pass `next_cursor` of the page before.',
} as const

const RICH_LIMIT = 200

/** The last page whose offset has all its digits in a JSON number, whatever the limit. */
const LAST_PAGE = Math.floor(Number.MAX_SAFE_INTEGER / RICH_LIMIT)

/** Query of the rich family: limit 1 to 200 (25), `offset` wins over `page`; neither means the first page. */
export const richQuery = {
  limit: limit(RICH_LIMIT, 25),
  offset: Type.Optional(Type.Integer({ minimum: 0 })),
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: LAST_PAGE })),
}

export const richSentences = {
  limit: 'How many records a page holds at most, 1 to 200; anything else is 400 and not clamped.',
  offset: 'How many records come before the page. Wins over `page` where both are given.',
  page: 'The number of the page, from 1. The answer carries `offset`, never `page`.',
} as const

export const StandardQuery = described(Type.Object(standardQuery), { fields: standardSentences })
export type StandardQuery = Static<typeof StandardQuery>

/** A page of `item`s as every paginated endpoint answers it. */
export function pageOf<Item extends TSchema>(item: Item) {
  const page = Type.Object({
    items: Type.Array(item),
    limit: Type.Integer(),
    offset: Type.Integer(),
    total: Type.Integer(),
    has_more: Type.Boolean(),
    next_cursor: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
  })
  const paged = described(page, {
    ...(item.title !== undefined && { name: `${item.title}Page`, about: `One page of ${item.title} records.` }),
    fields: {
      items: 'The records of the page.',
      limit: 'The limit that was applied.',
      offset: 'The offset that was applied.',
      total: 'How many records match, whatever the limit and the offset.',
      has_more: 'Whether records follow this page.',
      next_cursor: 'The offset of the next page as text; null on the last page.',
    },
  })
  const example = item.examples === undefined ? undefined : item.examples[0]
  return example === undefined ? paged : { ...paged, examples: [pageExample(example)] }
}

const pageExample = (item: unknown) => ({ items: [item], limit: 25, offset: 0, total: 1, has_more: false, next_cursor: null })

export type Page<Item> = {
  items: Item[]
  limit: number
  offset: number
  total: number
  has_more: boolean
  next_cursor: string | null
}

/** A page that goes on by key: its cursor names the last record, so nothing that comes meanwhile moves it. `total` where it is kept beside the rows. */
export function keyPageOf<Item extends TSchema>(item: Item) {
  return described(
    Type.Object({
      items: Type.Array(item),
      limit: Type.Integer(),
      total: Type.Unsafe<number | null>({ type: ['integer', 'null'] }),
      has_more: Type.Boolean(),
      next_cursor: nullableText(),
    }),
    {
      name: `${item.title}Page`,
      about: `One page of ${item.title} records.`,
      fields: {
        items: 'The records of the page.',
        limit: 'The limit that was applied.',
        total: 'How many records match, or null where that is not counted.',
        has_more: 'Whether records may follow this page. A page may hold fewer than its limit and still be followed.',
        next_cursor: 'What `after` of the next page is; null on the last page.',
      },
    },
  )
}
