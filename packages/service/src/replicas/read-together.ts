import { AsyncLocalStorage } from 'node:async_hooks'
import { type BatchLoader, createBatchLoader } from '@tidings/async'
import { currentSnapshot, inSnapshot, type Snapshot } from '@tidings/postgres'
import pg from 'pg'
import { SecondStatement } from './open-statement.ts'
import { isOfServer } from './server-faults.ts'

/** `lookUps`: so many requests share it, and it is one statement. Without it there may be any. */
export type ReadOf = Readonly<{
  /** What it reads never goes back for one caller. */
  caller: string
  /** It may show less than was confirmed, or than the caller has seen: the primary does not say. */
  onUnconfirmed?: () => void
  /** A server that may show less than was confirmed does not answer it: the next one is asked, at last the primary. Not while that is away, unless it is `always`. */
  confirmed?: 'always' | 'unless the primary is away'
  lookUps?: number
}>

export type Read = <Result>(of: ReadOf, work: () => Promise<Result>) => Promise<Result>

/** Reads of one caller with the same `look` are the same look-up, of one row each. */
export type LookUp = ReadOf & Readonly<{ look: string }>

type WaitingLookUp = Readonly<{
  of: LookUp
  run: (snapshot: Snapshot | undefined) => Promise<unknown>
  answer: (result: Promise<unknown>) => void
}>
type Outcomes = readonly PromiseSettledResult<unknown>[]

const MOST_TOGETHER = 100

/**
 * Look-ups that a caller asks for while another one is under way share the next statement. They have one caller: a position that one of them has to see, each has to
 * see. Where the statement fails, each of them reads again by itself.
 */
export function readTogetherBy(read: Read): <Result>(of: LookUp, work: () => Promise<Result>) => Promise<Result> {
  const looks = new Map<string, { readonly ask: BatchLoader<WaitingLookUp, void>; asked: number }>()
  return async <Result>(of: LookUp, work: () => Promise<Result>) => {
    // What else follows a request, as its trace does, stays its own.
    const inOwn = AsyncLocalStorage.snapshot()
    const run: WaitingLookUp['run'] = (snapshot) => inOwn(() => (snapshot === undefined ? work() : inSnapshot(snapshot, work)))
    const name = `${of.caller} ${of.look}`
    const look = looks.get(name) ?? { ask: gather(read), asked: 0 }
    looks.set(name, look)
    look.asked++
    const { promise, resolve: answer } = Promise.withResolvers<unknown>()
    // The answer waits for no other one that was asked for beside it.
    void look.ask({ of, run, answer })
    try {
      return (await promise) as Result
    } finally {
      if (--look.asked === 0) looks.delete(name)
    }
  }
}

/** One statement at a time: what is asked for meanwhile gathers for the next, for 100 ms at most. */
const gather = (read: Read): BatchLoader<WaitingLookUp, void> =>
  createBatchLoader({
    load: async (group: readonly WaitingLookUp[]) => void (await Promise.allSettled(answerAll(read, group))),
    pick: () => undefined,
    maxKeys: MOST_TOGETHER,
    atOnce: 1,
  })

const answerAll = (read: Read, group: readonly WaitingLookUp[]): readonly Promise<unknown>[] => {
  const together = readGroup(read, group)
  const resultFor = async ({ of, run }: WaitingLookUp, n: number): Promise<unknown> => {
    try {
      return resultOf((await together)[n])
    } catch (error) {
      if (group.length === 1 || !isOfStatement(error)) throw error
      return await read({ ...of, lookUps: 1 }, () => run(currentSnapshot()))
    }
  }
  return group.map((asked, n) => {
    const result = resultFor(asked, n)
    asked.answer(result)
    return result
  })
}

const readGroup = (read: Read, group: readonly WaitingLookUp[]): Promise<Outcomes> => {
  const onUnconfirmed = (): void => {
    for (const { of } of group) of.onUnconfirmed?.()
  }
  return read({ caller: group[0]?.of.caller ?? '', lookUps: group.length, onUnconfirmed }, async () => {
    const snapshot = currentSnapshot()
    const outcomes = await Promise.allSettled(group.map(({ run }) => run(snapshot)))
    // Any other error, as that of a row that is not there, is an answer to one of them.
    for (const outcome of outcomes)
      if (outcome.status === 'rejected' && (isOfServer(outcome.reason) || isOfStatement(outcome.reason))) throw outcome.reason
    return outcomes
  })
}

const isOfStatement = (error: unknown): boolean =>
  error instanceof SecondStatement || (error instanceof pg.DatabaseError && !isOfServer(error))

const resultOf = (outcome: PromiseSettledResult<unknown> | undefined): unknown => {
  if (outcome?.status === 'fulfilled') return outcome.value
  throw outcome?.reason
}
