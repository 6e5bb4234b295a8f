import { comparePositions, type Position, positionText } from '@tidings/event-store'
import { type Traces, traces } from '@tidings/observability/traces'
import type { Pool } from 'pg'
import { hasReached, type Progress } from '../progress.ts'
import { type RemoteProgress, remoteProgress } from './remote-progress.ts'

export type ReadSideOptions = Readonly<{
  pool: Pool
  /** The progress of this process's projections; without it every wait reads the database. */
  progress?: Progress
  /** The longest wait; default 2 000 ms. */
  timeoutMs?: number
  /** A projection that was not heard of for this long is not worth waiting for; default 3 000 ms: a beat a second, which a slow log delays by one. */
  staleMs?: number
  /** The most waits at once; more are answered `pending`. Default 10 000. */
  maxWaiting?: number
  pollMs?: number
}>

type WaitOptions = Readonly<{
  /** The stream that was written: when a projection has parked it, there is nothing to wait for. */
  stream?: string
}>

/** Read your writes: whether what was appended can be read yet. */
export type ReadYourWrites = Readonly<{
  /**
   * `visible` when every one of the projections has passed the position. `pending` after 2 s, and at once where waiting is useless: the
   * projection is not live or not heard of, it parked the stream, or too many wait. Never rejects (M2).
   */
  wait: (position: Position | null, projections: readonly string[], options?: WaitOptions) => Promise<'visible' | 'pending'>
}>

export type ReadSide = ReadYourWrites & Readonly<{ waiting: () => number; close: () => Promise<void> }>

type KnownProjection = Readonly<{ position: Position; live: boolean; heardAt: number; parked: ReadonlySet<string>; local: boolean }>

type WaitState = Readonly<{
  options: Required<Omit<ReadSideOptions, 'pool' | 'progress'>>
  progress: Progress | undefined
  remote: RemoteProgress
  lists: Map<string, WaitingList>
  waiting: { count: number }
}>

/** The projection belongs to this process in these states; a failed one may run elsewhere. */
const OWNED = new Set(['catching up', 'live', 'retrying'])

export function readSide({ pool, progress, ...settings }: ReadSideOptions): ReadSide {
  const options = { timeoutMs: 2_000, staleMs: 3_000, maxWaiting: 10_000, pollMs: 15, ...settings }
  const lists = new Map<string, WaitingList>()
  const moved = (projection: string, position: Position) => lists.get(projection)?.reached(position)
  const remote = remoteProgress({ pool, pollMs: options.pollMs, onMove: moved })
  const unsubscribe = progress?.onChange((projection, { position }) => moved(projection, position))
  const state: WaitState = { options, progress, remote, lists, waiting: { count: 0 } }
  return {
    wait: (position, projections, wanted = {}) => {
      if (position === null) return Promise.resolve('visible')
      const all = traces()
      const request = { position, projections, stream: wanted.stream }
      return all === null ? wait(state, request) : recordedWait(all, state, request)
    },
    waiting: () => state.waiting.count,
    close: async () => {
      unsubscribe?.()
      await remote.close()
    },
  }
}

/** The projections run in any process; a request waits for those that it touches. */
const recordedWait = (all: Traces, state: WaitState, request: VisibilityRequest): Promise<'visible' | 'pending'> =>
  all.part(
    { name: 'wait projections', kind: 'internal', attributes: { 'tidings.position': positionText(request.position) } },
    async (span) => {
      const outcome = await wait(state, request)
      span?.set({ 'tidings.outcome': outcome })
      return outcome
    },
  )

type VisibilityRequest = Readonly<{ position: Position; projections: readonly string[]; stream: string | undefined }>

const wait = async (state: WaitState, wanted: VisibilityRequest): Promise<'visible' | 'pending'> => {
  if (wanted.projections.every((name) => isVisible(state, name, wanted))) return 'visible'
  if (state.waiting.count >= state.options.maxWaiting) return 'pending'
  state.waiting.count++
  try {
    if (wanted.projections.some((name) => !isWorthWaiting(state, name, wanted))) {
      // What is known of another process's projection may just be old: one look at the database, then the verdict stands.
      if (wanted.projections.every((name) => find(state, name)?.local === true)) return 'pending'
      await state.remote.refresh()
      if (wanted.projections.some((name) => !isWorthWaiting(state, name, wanted))) return 'pending'
    }
    await untilReached(state, wanted)
    return wanted.projections.every((name) => isVisible(state, name, wanted)) ? 'visible' : 'pending'
  } catch {
    return 'pending' // the database cannot be asked; the write itself has succeeded
  } finally {
    state.waiting.count--
  }
}

const find = ({ progress, remote }: WaitState, name: string): KnownProjection | undefined => {
  const local = progress?.of(name)
  if (local !== undefined && OWNED.has(local.state)) {
    const { position, state, heardAt, parked } = local
    return { position, live: state === 'live', heardAt, parked, local: true }
  }
  const other = remote.of(name)
  return other === undefined ? undefined : { ...other, local: false }
}

const isVisible = (state: WaitState, name: string, { position, stream }: VisibilityRequest): boolean => {
  const known = find(state, name)
  return known !== undefined && hasReached(known.position, position) && !(stream !== undefined && known.parked.has(stream))
}

const isWorthWaiting = (state: WaitState, name: string, wanted: VisibilityRequest): boolean => {
  const known = find(state, name)
  if (known === undefined || (wanted.stream !== undefined && known.parked.has(wanted.stream))) return false
  return hasReached(known.position, wanted.position) || (known.live && performance.now() - known.heardAt < state.options.staleMs)
}

/** Resolves when all of them have passed the position, or after the time limit. */
const untilReached = async (state: WaitState, { position, projections }: VisibilityRequest): Promise<void> => {
  const open = projections.filter((name) => !hasReached(find(state, name)?.position ?? position, position))
  if (open.length === 0) return
  const { promise, resolve } = Promise.withResolvers<void>()
  let left = open.length
  const waiters = open.map((name): readonly [string, Waiter] => [name, { position, live: true, reached: () => --left === 0 && resolve() }])
  const release = open.every((name) => find(state, name)?.local === true) ? undefined : state.remote.watch()
  const noLonger = open.map((name) => state.progress?.await(name))
  const timer = setTimeout(resolve, state.options.timeoutMs)
  for (const [name, waiter] of waiters) listOf(state, name).add(waiter)
  await promise
  clearTimeout(timer)
  release?.()
  for (const end of noLonger) end?.()
  for (const [, waiter] of waiters) waiter.live = false
}

const listOf = ({ lists }: WaitState, name: string): WaitingList => {
  let list = lists.get(name)
  if (list === undefined) {
    list = waitingList()
    lists.set(name, list)
  }
  return list
}

/** Somebody waits until `position` is reached; `live` turns false when it no longer does. */
export type Waiter = { readonly position: Position; readonly reached: () => void; live: boolean }

/** The waiters of one projection, by position. Appends come almost in order, so a new one is nearly always the last. */
type WaitingList = Readonly<{ add: (waiter: Waiter) => void; reached: (position: Position) => void; size: () => number }>

export function waitingList(): WaitingList {
  let waiters: Waiter[] = []
  return {
    add: (waiter) => {
      let at = waiters.length
      while (at > 0 && comparePositions(waiters[at - 1]!.position, waiter.position) > 0) at--
      waiters.splice(at, 0, waiter)
    },
    reached: (position) => {
      let count = 0
      while (count < waiters.length && comparePositions(waiters[count]!.position, position) <= 0) count++
      const due = waiters.splice(0, count)
      // Those that timed out behind a stuck position leave here, so that the list cannot grow while nothing moves.
      if (waiters.some(({ live }) => !live)) waiters = waiters.filter(({ live }) => live)
      for (const waiter of due) if (waiter.live) waiter.reached()
    },
    size: () => waiters.length,
  }
}
