/** Hebrew says one without its figure. */
export function plural(count: number, one: string, many: string): string {
  return count === 1 ? one : `${count.toLocaleString('he')} ${many}`
}
