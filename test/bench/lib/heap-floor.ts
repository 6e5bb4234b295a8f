/** Asks a service twice a second how much heap it uses; `stop` answers the least, in MB: what a collection leaves, garbage left out. */
export function heapFloor(url: string): Readonly<{ stop: () => Promise<number> }> {
  let least = Number.POSITIVE_INFINITY
  const look = async (): Promise<void> => {
    const text = await (await fetch(`${url}/metrics`)).text()
    const bytes = /^nodejs_heap_used_bytes (\S+)$/m.exec(text)?.[1]
    if (bytes !== undefined) least = Math.min(least, Number(bytes) / 1e6)
  }
  const timer = setInterval(() => void look().catch(() => undefined), 500)
  return {
    stop: async () => {
      clearInterval(timer)
      await look()
      return least
    },
  }
}
