import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { compileRule, type EventFacts, type FlowStep, flowProgram, type Instruction, parseRule, withoutFuture } from '@tidings/domain'
import { type SendInstruction, type Sending, type SendOutcome, trySend } from './walk-send.ts'

export type StepOutcome = Readonly<{ type: 'waits'; minutes: number }> | Readonly<{ type: 'branches'; isMatch: boolean }> | SendOutcome

/** `number`: as `flowProgram` counts; `at`: when, if the person enters at `now`. */
export type WalkedStep = Readonly<{ number: number; path: string; at: string; outcome: StepOutcome }>
type WalkEnd = 'finished' | 'no_consent' | 'suppressed' | 'template_gone'
export type WalkedFlow = Readonly<{ steps: readonly WalkedStep[]; ends: WalkEnd }>

/** `now`: ms since 1970. */
type Walking = Sending & Readonly<{ countEvents: (names: readonly string[]) => Promise<ReadonlyMap<string, EventFacts>>; now: number }>

/** Walks steps for a person as of now, and answers what each would do. Quiet hours and the frequency cap are not looked at. Writes and sends nothing. */
export async function walkFlow(asked: Walking, steps: readonly FlowStep[]): Promise<WalkedFlow> {
  const program = flowProgram(steps)
  const walking = { ...asked, send: sendOnce(asked) }
  const walked: WalkedStep[] = []
  let { now } = walking
  let number: number | null = 0
  while (number !== null) {
    const instruction: Instruction | undefined = program[number]
    if (instruction === undefined) break
    const outcome: StepOutcome = await outcomeOf(walking, instruction, now)
    walked.push({ number, path: instruction.path, at: new Date(now).toISOString(), outcome })
    const ends = endOf(outcome)
    if (ends !== null) return { steps: walked, ends }
    if (outcome.type === 'waits') now += outcome.minutes * 60_000
    number = nextOf(instruction, outcome)
  }
  return { steps: walked, ends: 'finished' }
}

type WalkingOnce = Walking & Readonly<{ send: (instruction: SendInstruction) => Promise<SendOutcome> }>

/** The same message is rendered once, however many steps send it. A large template takes tenths of a second: others come in between. */
const sendOnce = (walking: Walking): WalkingOnce['send'] => {
  const known = new Map<string, Promise<SendOutcome>>()
  return (instruction) => {
    const key = JSON.stringify([instruction.channel, instruction.templateId, instruction.from])
    const outcome = known.get(key) ?? yieldToEventLoop().then(() => trySend(walking, instruction))
    known.set(key, outcome)
    return outcome
  }
}

const outcomeOf = async (walking: WalkingOnce, instruction: Instruction, now: number): Promise<StepOutcome> => {
  switch (instruction.type) {
    case 'wait':
      return { type: 'waits', minutes: instruction.minutes }
    case 'branch': {
      const rule = compileRule(parseRule(instruction.rule))
      const counted = rule.events.length > 0 ? await walking.countEvents(rule.events) : new Map<string, EventFacts>()
      return { type: 'branches', isMatch: rule.matches(withoutFuture(walking.person.facts(counted), now), now) }
    }
    case 'send':
      return await walking.send(instruction)
    default:
      return instruction satisfies never
  }
}

const nextOf = (instruction: Instruction, outcome: StepOutcome): number | null => {
  if (instruction.type !== 'branch') return instruction.next
  return outcome.type === 'branches' && outcome.isMatch ? instruction.matched : instruction.otherwise
}

/** A message that the person may not get ends the run; one for which there is no address, or which cannot be rendered, does not (D12). */
const endOf = (outcome: StepOutcome): WalkEnd | null => {
  if (outcome.type === 'template_gone') return 'template_gone'
  if (outcome.type !== 'not_allowed') return null
  return outcome.refusal.reason === 'no_consent' ? 'no_consent' : 'suppressed'
}
