const NUMBER = /^\+?\d+$/

/** A sender as it is compared: a name in any case, a number with or without its plus. */
export function smsSenderKey(sender: string): string {
  const bare = sender.trim()
  return NUMBER.test(bare) ? bare.replace('+', '') : bare.toUpperCase()
}
