import { MAX_APPEND_BYTES } from '../append-rules.ts'

/** One read of the log brings at most this many bytes of data and metadata, and always one event. The sum costs 0.2 of 2.1 µs an event. */
const MAX_READ_BYTES = 16 * 1024 * 1024

/** The events of `selected` as `e`, each with the `bytes` of all up to it in the order of the columns. */
export function summed(selected: string, order: readonly string[]): string {
  const columns = order.map((column) => `s.${column}`).join(', ')
  return `(select s.*, sum(octet_length(s.data) + octet_length(s.meta)) over (order by ${columns} rows unbounded preceding) as bytes
      from (${selected}) s) e`
}

/** Those of `summed` that a page holds. */
export const FITS = `e.bytes <= ${MAX_READ_BYTES} or e.bytes = octet_length(e.data) + octet_length(e.meta)`

/** Whether events may have been left out of a page whose events have so many bytes: the next one is no larger than an append. */
export function mayBeCut(bytes: number): boolean {
  return bytes > MAX_READ_BYTES - MAX_APPEND_BYTES
}
