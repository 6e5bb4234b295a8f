/** The minute may end between two requests: then the second is another event (G22). Once more, in the new minute, it cannot. */
export async function withinOneMinute<T>(run: () => Promise<T>): Promise<T> {
  const minute = () => Math.floor(Date.now() / 60_000)
  const before = minute()
  try {
    return await run()
  } catch (error) {
    if (minute() === before) throw error
    return await run()
  }
}
