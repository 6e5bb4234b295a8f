import { startScript, stopChild } from './children.ts'

export type ProviderKind = 'smtp' | 'smpp' | 'twilio'

/** A message as it reached the provider. `at` in ms since 1970; `text`: its subject or body; `link`: where its recipient unsubscribes at once. */
export type Arrival = Readonly<{ at: number; to: string; text: string; link: string | null }>

/** A provider in a process of its own that answers every message late. */
export type SlowProvider = Readonly<{
  url: string
  /** What arrived since it was asked last. */
  take: () => Promise<readonly Arrival[]>
  /** A person answers STOP to a sender; resolves with the moment at which the service has taken it. */
  sayStop: (stop: Readonly<{ from: string; to: string; publicUrl: string }>) => Promise<number>
  stop: () => Promise<void>
}>

export async function startSlowProvider(kind: ProviderKind, answerMs: number): Promise<SlowProvider> {
  const { child, nextLine } = startScript('workers/slow-provider.ts', [kind, String(answerMs)])
  const url = await nextLine()
  // One line is answered before the next is written: answers carry no name.
  let last: Promise<unknown> = Promise.resolve()
  const ask = <Answer>(line: string): Promise<Answer> => {
    const answer = last.then(async () => {
      child.stdin.write(`${line}\n`)
      return JSON.parse(await nextLine()) as Answer
    })
    last = answer.catch(() => undefined)
    return answer
  }
  return {
    url,
    take: () => ask('take'),
    sayStop: async ({ from, to, publicUrl }) => {
      const at = await ask<number | null>(`stop ${from} ${to} ${publicUrl}`)
      if (at === null) throw new Error('the service did not take a STOP')
      return at
    },
    stop: () => stopChild(child),
  }
}
