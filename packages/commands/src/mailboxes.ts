import { Busy } from './errors.ts'

type Outage = Readonly<{ error: unknown }>

/** Runs what waits at one key; gives the outage that prevented it. Never rejects. */
type Work<T> = (key: string, tasks: readonly T[]) => Promise<Outage | null>

type MailboxesOptions<T> = Readonly<{
  work: Work<T>
  /** Called with an outage for all that wait at the key: one after the other, each would wait for its own timeout. */
  reject: (task: T, error: unknown) => void
  maxWaiting: number
  maxBatch: number
}>

type Mailboxes<T> = Readonly<{ post: (key: string, task: T) => void }>

/**
 * One queue a key, processed one batch at a time in the order of arrival, so that this process never conflicts with itself.
 * A queue exists only while something is in it. Throws `Busy` when `maxWaiting` tasks wait at the key already.
 */
export function createMailboxes<T>(options: MailboxesOptions<T>): Mailboxes<T> {
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
        const tasks = [task]
        waiting.set(key, tasks)
        void drain(key, tasks)
        return
      }
      if (box.length >= options.maxWaiting) throw new Busy(`${box.length} commands wait for one stream`)
      box.push(task)
    },
  }
}
