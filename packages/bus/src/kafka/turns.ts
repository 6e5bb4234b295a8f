/** Runs pieces of work one after the other, in the order they were asked for. A piece that fails does not hold up the next. */
export function inTurns(): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const mine = last.then(work)
    last = mine.catch(() => undefined)
    return mine
  }
}
