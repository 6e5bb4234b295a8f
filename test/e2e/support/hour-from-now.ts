/** The hour and minute of UTC so many hours from now. */
export function hourFromNow(hours: number): string {
  return new Date(Date.now() + hours * 3_600_000).toISOString().slice(11, 16)
}
