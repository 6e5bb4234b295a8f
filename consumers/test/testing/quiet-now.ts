/**
 * Twelve hours around now in UTC: quiet at every moment of a test, at whatever time of the day it runs, and not on the other side of the
 * earth. They end in five hours at least.
 */
export function quietNow(): Readonly<{ from: string; to: string }> {
  const hour = (by: number) => String((new Date().getUTCHours() + 24 + by) % 24).padStart(2, '0')
  return { from: `${hour(-6)}:00`, to: `${hour(6)}:00` }
}
