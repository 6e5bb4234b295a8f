import type { AppendContext, Draft as LogDraft } from '@tidings/codec'
import type { Decider, WorkspaceId } from '@tidings/domain'
import type { Appended, Position } from '@tidings/event-store'

/** One command for one stream. */
export type Execution<C, E, S> = Readonly<{
  decider: Decider<C, E, S>
  /** Built by the aggregate's own `…Stream()`. */
  stream: string
  command: C
  context: AppendContext
  /** The stream's id was made for this command: decide as if it were empty, without reading it first. Safe when wrong: the append says so. */
  isNew?: boolean
  /**
   * Whether the state is the one that the caller decided by. It is asked of every state that the command is decided on, and the append is conditional on
   * the revision of that same state; where it says no, the command is refused with `changed_meanwhile`. A repetition of a command that was
   * appended is not asked: its own events made another state.
   */
  expects?: (state: S) => boolean
}>

/**
 * `before` is the state that was decided on; `position` is null when nothing had to be appended. A position without events: the same
 * command ran before, and its events are in the log.
 */
export type Executed<E, S> = Readonly<{
  events: readonly E[]
  before: S
  state: S
  revision: number
  position: Position | null
}>

/** A command that is decided and not yet written; `state` is the one after it. */
export type Draft<E = unknown, S = unknown> = Readonly<{
  append: LogDraft
  state: S
  /** Call it with the log's answer: caches the state and gives the outcome. */
  confirm: (appended: Appended) => Executed<E, S>
}>

export type Loaded<S> = Readonly<{ state: S; revision: number }>

/** The stream to fold, and its decider. */
export type Loading<C, E, S> = Readonly<{ decider: Decider<C, E, S>; stream: string; workspaceId: WorkspaceId }>

export type CommandExecutor = Readonly<{
  /**
   * Decides the command on the stream's state and appends the events, exactly once for one `commandId`.
   * Throws what the decider throws, and `changed_meanwhile` (both after a new read), `Busy` when the stream stayed contended for 2 s or its queue is full,
   * and the store's own errors.
   */
  execute: <C, E extends StoredEvent, S>(execution: Execution<C, E, S>) => Promise<Executed<E, S>>
}>

export type StateLoader = Readonly<{
  /** The stream's state as of now: cached, and brought up to date by a read. */
  load: <C, E extends StoredEvent, S>(loading: Loading<C, E, S>) => Promise<Loaded<S>>
}>

export type CommandRunner = CommandExecutor &
  StateLoader &
  Readonly<{
    /** Decides a command on the cached state without writing it; null where that leaves nothing to write. Reads nothing. */
    draft: <C, E extends StoredEvent, S>(execution: Execution<C, E, S>) => Draft<E, S> | null
    /** Whether the log has an append over several streams. */
    writesTogether: boolean
    /** Writes all of the drafts in one append, or none: null where a stream has moved on, a draft is there already, or the log has no such append. */
    writeTogether: (drafts: readonly Draft[]) => Promise<readonly Appended[] | null>
    /** Drops the cached states of all streams: which of them say something about a person that is erased is not known. */
    clear: () => void
  }>

export type StoredEvent = Readonly<{ type: string; data: unknown }>
