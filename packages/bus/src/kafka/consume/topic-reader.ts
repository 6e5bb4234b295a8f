import type { KafkaSettings } from '../settings.ts'
import type { Reader } from './member.ts'
import { openSession, type ReaderSession } from './reader-session.ts'

/** A reader's part in a session. `fail`: the client must be replaced. `leave`: with its last reader the process leaves the group. */
export type Joined = Readonly<{
  started: Promise<void>
  moved: () => void
  fail: (error: unknown) => void
  leave: () => Promise<void>
}>

/**
 * Reads the topic once for all groups of the process, which is one member of one group of Kafka: the partitions of the process are those of all
 * its groups. `expect` says that a group of this process will join; calling its result takes that back.
 */
export type TopicReader = Readonly<{
  expect: (group: string, types: readonly string[]) => () => void
  join: (reader: Reader) => Joined
}>

export function createTopicReader(kafka: KafkaSettings): TopicReader {
  const expected = new Map<string, readonly string[]>()
  let current: ReaderSession | null = null
  let after: Promise<unknown> = Promise.resolve()
  const leaveSession = (session: ReaderSession): Promise<void> => {
    if (current === session) current = null
    const ended = session.end()
    after = Promise.allSettled([after, ended])
    return ended
  }
  return {
    expect: (group, types) => {
      expected.set(group, types)
      return () => expected.delete(group)
    },
    join: (reader) => {
      if (current?.hasEnded()) leaveSession(current)
      current ??= openSession({ kafka, expected, after }, reader.member)
      const session = current
      session.add(reader)
      const { started, moved, fail } = session
      const leave = async (): Promise<void> => {
        if (session.remove(reader)) await leaveSession(session)
      }
      return { started, moved, fail, leave }
    },
  }
}
