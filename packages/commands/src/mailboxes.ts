import { Busy } from './errors.ts'

/** Carries out what waits at one key; it never rejects, whatever becomes of the tasks. */
type Work<T> = (key: string, tasks: readonly T[]) => Promise<void>

export type Mailboxes<T> = Readonly<{ post: (key: string, task: T) => void }>

/**
 * One mailbox a key, worked off one batch at a time in the order of arrival, so that this process never conflicts with itself.
 * A mailbox exists only while something is in it. Throws `Busy` when `maxWaiting` tasks wait at the key already.
 */
export const mailboxes = <T>(options: Readonly<{ work: Work<T>; maxWaiting: number; maxBatch: number }>): Mailboxes<T> => {
  const waiting = new Map<string, T[]>()

  const drain = async (key: string, box: T[]) => {
    while (box.length > 0) await options.work(key, box.splice(0, options.maxBatch))
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
