let lastMs = 0
let lastIso = ''

/** Now, in UTC with milliseconds (M12). Requests of one millisecond share the text, which takes 0.6 µs to make alone and 6 among everything else. */
export function isoNow(): string {
  const ms = Date.now()
  if (ms !== lastMs) {
    lastMs = ms
    lastIso = new Date(ms).toISOString()
  }
  return lastIso
}
