let isQuiet = false

/**
 * kafkajs 2.2.4 sets a timer below zero whenever a connection opens (tulios/kafkajs#1751). It is harmless, but Node says so as plain text
 * among the JSON lines of the log. Drops that warning where it comes from the client, and no other.
 */
export function dropTimerWarning(): void {
  if (isQuiet) return
  isQuiet = true
  process.emitWarning = new Proxy(process.emitWarning, {
    apply: (emit, self, args: unknown[]) => {
      if (args[1] === 'TimeoutNegativeWarning' && new Error().stack?.includes('/kafkajs/')) return
      Reflect.apply(emit, self, args)
    },
  })
}
