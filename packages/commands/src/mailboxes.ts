import { Busy } from './errors.ts'

type Outage = Readonly<{ error: unknown }>

/** Carries out what waits at one key, and says so where an outage kept it from that; it never rejects, whatever becomes of the tasks. */
type Work<T> = (key: string, tasks: readonly T[]) => Promise<Outage | null>

export type MailboxesOptions<T> = Readonly<{
  work: Work<T>
  /** An outage is the answer to all that wait at the key: one after the other, they would each wait it out. */
  reject: (task: T, error: unknown) => void
  maxWaiting: number
  maxBatch: number
}>

export type Mailboxes<T> = Readonly<{ post: (key: string, task: T) => void }>

/**
 * One mailbox a key, worked off one batch at a time in the order of arrival, so that this process never conflicts with itself.
 * A mailbox exists only while something is in it. Throws `Busy` when `maxWaiting` tasks wait at the key already.
 */
export const mailboxes = <T>(options: MailboxesOptions<T>): Mailboxes<T> => {
  const waiting = new Map<string, T[]>()

  const drain = async (key: string, box: T[]) => {
    while (box.length > 0) {
      const outage = await options.work(key, box.splice(0, options.maxBatch))
      if (outage !== null) for (const task of box.splice(0)) options.reject(task, outage.error)
    }
    waiting.delete(key)
  }

  return {
    post: (key, task) => {
      const box = waiting.get(key)
      if (box === undefined) {
        const fresh = [task]
        waiting.set(key, fresh)
        void drain(key, fresh)
        return
      }
      if (box.length >= options.maxWaiting) throw new Busy(`${box.length} commands wait for one stream`)
      box.push(task)
    },
  }
}
