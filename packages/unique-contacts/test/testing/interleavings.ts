import { hash } from 'node:crypto'
import type { Gate } from '@tidings/commands/testing'

/** One program: it reaches the world only through its gate. */
type Actor<A> = (gate: Gate) => Promise<A>

/**
 * `peek` runs an actor's call and takes back what it did. `check` after every step that was not looked at before; `finish` once no actor can go on,
 * with what each actor answered (undefined for one that crashed).
 */
export type World<A> = Readonly<{
  actors: readonly Actor<A>[]
  fingerprint: () => string
  peek: <T>(act: () => T) => T
  check: () => void
  finish: (answers: readonly (PromiseSettledResult<A> | undefined)[]) => Promise<void>
}>

/** `step`: the actor's call takes effect and is answered. `crash`: it takes effect, and the actor never learns of it. */
type Choice = Readonly<{ actor: number; kind: 'step' | 'crash' }>

type Running = Readonly<{
  choices: () => Promise<readonly Choice[]>
  choose: (choice: Choice) => void
  /** Chooses what an earlier run has chosen and checked. */
  repeat: (choice: Choice) => void
  /** What stands behind a choice, which is not made. Equal for two runs that are the same from there on: actors are deterministic in what they were answered. */
  behind: (choice: Choice) => string
  /** All that `end` judges. */
  ending: () => string
  end: () => Promise<void>
}>

/** This is longer than any chain of promises between two calls of one actor. */
const TICKS = 300

/** A call that waits for its turn. `act` makes it: what the actor's history then says of it, and how the actor learns of it. */
type Call = Readonly<{ act: () => Readonly<{ said: string; answer: () => void }> }>

/**
 * `maxPreemptions`: how often an actor may be interrupted although it could go on. Few are enough for most faults, and without a bound
 * four actors have too many interleavings.
 */
export type Bounds = Readonly<{ maxCrashes: number; maxPreemptions?: number }>

/** Starts the actors of a world; afterwards nothing moves but by `choose`, and only choices within the bounds are offered. */
const running = <A>(world: World<A>, { maxCrashes, maxPreemptions = Number.POSITIVE_INFINITY }: Bounds): Running => {
  const pending = new Map<number, Call>()
  const histories = world.actors.map(() => '')
  const answers: (PromiseSettledResult<A> | undefined)[] = world.actors.map(() => undefined)
  const idle = new Set<number>()
  let crashes = 0
  let preemptions = 0
  let current = -1

  const gateOf =
    (actor: number): Gate =>
    (call, act) =>
      new Promise((resolve, reject) => {
        const made: Call['act'] = () => {
          try {
            const answer = act()
            return { said: `${call}=${outcome(answer)};`, answer: () => resolve(answer) }
          } catch (error) {
            return { said: `${call}!${String(error)};`, answer: () => reject(error) }
          }
        }
        pending.set(actor, { act: made })
      })

  for (const [actor, run] of world.actors.entries()) {
    void Promise.allSettled([run(gateOf(actor))]).then(([answer]) => {
      answers[actor] = answer
      idle.add(actor)
    })
  }

  const isPreemption = (actor: number): boolean => actor !== current && pending.has(current)

  const take = ({ actor, kind }: Choice): void => {
    if (isPreemption(actor)) preemptions++
    current = actor
    const made = pending.get(actor)?.act()
    pending.delete(actor)
    histories[actor] += `${kind} ${made?.said}`
    if (kind === 'step') made?.answer()
    else {
      crashes++
      idle.add(actor)
    }
  }

  return {
    choices: async () => {
      for (let tick = 0; tick < TICKS && pending.size + idle.size < world.actors.length; tick++) await Promise.resolve()
      const goingOn = preemptions >= maxPreemptions && pending.has(current)
      const actors = goingOn ? [current] : [...pending.keys()].sort()
      const steps = actors.map((actor): Choice => ({ actor, kind: 'step' }))
      return crashes < maxCrashes ? [...steps, ...steps.map(({ actor }): Choice => ({ actor, kind: 'crash' }))] : steps
    },
    choose: (choice) => {
      take(choice)
      world.check()
    },
    repeat: take,
    behind: ({ actor, kind }) =>
      world.peek(() => {
        const said = `${kind} ${pending.get(actor)?.act().said}`
        const after = histories.map((history, n) => (n === actor ? history + said : history))
        const bound = maxPreemptions === Number.POSITIVE_INFINITY ? '' : `${actor} ${preemptions + Number(isPreemption(actor))}`
        return hash('sha1', `${after.join('\n')}\n${world.fingerprint()}\n${bound}`)
      }),
    ending: () => [world.fingerprint(), ...answers.map(said)].join('\n'),
    end: () => world.finish(answers),
  }
}

/** Positions depend on the order of unrelated appends, which no actor looks at. */
const outcome = (answer: unknown): string =>
  JSON.stringify(answer, (key, value: unknown) => (key === 'position' ? undefined : typeof value === 'bigint' ? String(value) : value)) ??
  ''

const said = (answer: PromiseSettledResult<unknown> | undefined): string =>
  answer?.status === 'rejected' ? `!${String(answer.reason)}` : `=${outcome(answer?.value)}`

type Explored = Readonly<{ schedules: number; states: number }>

const isNewIn = (set: Set<string>, text: string): boolean => {
  const isKnown = set.has(text)
  set.add(text)
  return !isKnown
}

/**
 * Runs every interleaving of a world's actors within the bounds, once for each distinguishable state: depth first,
 * replaying the choices from a new world. Whether a choice leads to a new state is seen before it is made, and equal endings are judged once:
 * with a replay for each choice and a judgement for each schedule, the claims take twice the CPU. Throws what `check` or `finish` throws.
 */
export async function exploreAll<A>(make: () => World<A>, bounds: Bounds): Promise<Explored> {
  const [seen, judged] = [new Set<string>(), new Set<string>()]
  const open: (readonly Choice[])[] = [[]]
  let schedules = 0
  for (let prefix = open.pop(); prefix; prefix = open.pop()) {
    const run = running(make(), bounds)
    const path = [...prefix]
    for (const [n, choice] of prefix.entries()) {
      await run.choices()
      if (n < prefix.length - 1) run.repeat(choice)
      else run.choose(choice)
    }
    for (;;) {
      const choices = await run.choices()
      if (choices.length === 0) {
        schedules++
        if (isNewIn(judged, run.ending())) await run.end()
      }
      const [first, ...others] = choices.filter((choice) => isNewIn(seen, run.behind(choice)))
      if (first === undefined) break
      for (const other of others) open.push([...path, other])
      path.push(first)
      run.choose(first)
    }
  }
  return { schedules, states: seen.size }
}

/** Runs one interleaving, picked by a list of numbers. */
export async function exploreOne<A>(world: World<A>, options: Bounds & Readonly<{ picks: readonly number[] }>): Promise<void> {
  const run = running(world, options)
  for (let n = 0; ; n++) {
    const choices = await run.choices()
    if (choices.length === 0) break
    run.choose(choices[(options.picks[n % options.picks.length] ?? 0) % choices.length]!)
  }
  await run.end()
}
