import { factsOf, readContact } from '@tidings/directory'
import { type CompiledRule, compileRule, type EventFacts, parseRule, withoutFuture } from '@tidings/domain'
import { endRun, type FlowWork, move, timestamp } from './flow-work.ts'
import { sendStep } from './send-step.ts'
import { type DueStep, type Kind, stepOf } from './step-moves.ts'

/** The answer of `countEvents`. */
const COUNTING_MODELS: readonly string[] = ['activity_facts']

/** Takes one step, and records it. */
export async function takeStep(work: FlowWork, due: DueStep): Promise<'moved'> {
  const { instruction, ...rest } = due
  switch (instruction.type) {
    case 'wait':
      await wait(work, { ...rest, instruction })
      break
    case 'branch':
      await branch(work, { ...rest, instruction })
      break
    case 'send':
      await sendStep(work, { ...rest, instruction })
      break
    default:
      return instruction satisfies never
  }
  return 'moved'
}

const wait = async (work: FlowWork, due: DueStep<Kind<'wait'>>): Promise<void> => {
  const { minutes, next } = due.instruction
  const until = timestamp(work.now() + minutes * 60_000)
  const command = { type: 'BeginWait', data: { ...stepOf(work, due, next), until } } as const
  await move(work, due, { command, name: `${due.step}:wait`, causationId: due.lastEventId })
}

const branch = async (work: FlowWork, due: DueStep<Kind<'branch'>>): Promise<void> => {
  const { ref, instruction } = due
  const contact = await readContact(work.log, ref)
  if (contact === null) return await endRun(work, due, 'contact_gone')
  const rule = compiled(instruction)
  const counted = rule.events.length > 0 ? await count(work, due, rule.events) : new Map<string, EventFacts>()
  const now = work.now()
  const isMatch = rule.matches(withoutFuture(factsOf(contact, counted), now), now)
  const next = isMatch ? instruction.matched : instruction.otherwise
  const command = { type: 'TakeBranch', data: { ...stepOf(work, due, next), branch: isMatch ? 'then' : 'else' } } as const
  await move(work, due, { command, name: `${due.step}:branch`, causationId: due.lastEventId })
}

/** Throws `ReadSideBehind` until the read models show what the log had when the step was due (M44): a branch is decided once, for good. */
const count = async (work: FlowWork, { ref, run, step }: DueStep, names: readonly string[]): Promise<ReadonlyMap<string, EventFacts>> => {
  await work.gate.requireAsOfNow(`${run.runId}:${step}`, COUNTING_MODELS)
  return await work.countEvents({ ...ref, names })
}

/** Keyed by the instruction, which the flow's program keeps. */
const rules = new WeakMap<Kind<'branch'>, CompiledRule>()

const compiled = (instruction: Kind<'branch'>): CompiledRule => {
  const known = rules.get(instruction) ?? compileRule(parseRule(instruction.rule))
  rules.set(instruction, known)
  return known
}
