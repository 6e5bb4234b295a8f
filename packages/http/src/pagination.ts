import type { Page } from '@tidings/contracts'

type Window = Readonly<{ limit: number; offset: number }>

/** The window of a rich query: `offset` wins over `page`, neither is the first page (contract: Pagination). */
export function windowOf(query: Readonly<{ limit?: number; offset?: number; page?: number }>, defaultLimit: number): Window {
  const limit = query.limit ?? defaultLimit
  return { limit, offset: query.offset ?? ((query.page ?? 1) - 1) * limit }
}

/** One page as the contract answers it. `total` counts everything that matches; `next_cursor` is the next offset, as text. */
export function page<Item>(items: Item[], total: number, { limit, offset }: Window): Page<Item> {
  const has_more = offset + items.length < total
  return { items, limit, offset, total, has_more, next_cursor: has_more ? String(offset + limit) : null }
}
