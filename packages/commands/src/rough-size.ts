/** About how many bytes of memory a plain value takes; exact enough to bound a cache. */
export const roughSize = (value: unknown): number => {
  if (typeof value === 'string') return 24 + value.length
  if (typeof value !== 'object' || value === null) return 8
  let size = 48
  for (const key in value) size += 16 + roughSize((value as Record<string, unknown>)[key])
  return size
}
