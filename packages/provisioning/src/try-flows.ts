import { factsOf, type KnownContact, workspaceIdOf } from '@tidings/directory'
import { compileRule, type EventFacts, type FlowStep, flowProgram, type Instruction, parseRule, type WorkspaceId } from '@tidings/domain'
import { flowCommands } from './flows.ts'
import type { Provisioner } from './provisioner.ts'
import { saySend, type TriedSend } from './try-send.ts'
import type { WorkspaceFile } from './workspace-file/schema.ts'

/** `at`: when, if the contact entered at `now`; `step`: where it is in the file. */
type TriedStep = Readonly<{ step: string; at: string; does: 'wait' | 'branch' | 'send'; says: string }>
export type TriedFlow = Readonly<{ flow: string; steps: readonly TriedStep[]; ends: string }>

/** `countEvents`: how often the contact had these events. */
export type Trying = Readonly<{
  to: Provisioner
  file: WorkspaceFile
  contact: KnownContact
  countEvents: (names: readonly string[]) => Promise<ReadonlyMap<string, EventFacts>>
  now: number
}>

/** Walks the flows of a file for a contact as it is now, and says what each step would do. Writes and sends nothing. */
export async function tryFlows(trying: Trying): Promise<readonly TriedFlow[]> {
  const { to, file } = trying
  const workspaceId = workspaceIdOf(file.workspace.slug)
  const commands = await flowCommands({ to, workspaceId, file, onRecord: () => undefined })
  const tried: TriedFlow[] = []
  for (const { data } of commands) tried.push({ flow: data.name, ...(await walk({ ...trying, workspaceId }, data.steps)) })
  return tried
}

type Walking = Trying & Readonly<{ workspaceId: WorkspaceId }>

const walk = async (walking: Walking, steps: readonly FlowStep[]): Promise<Readonly<{ steps: readonly TriedStep[]; ends: string }>> => {
  const program = flowProgram(steps)
  const tried: TriedStep[] = []
  let now = walking.now
  let next: number | null = 0
  while (next !== null) {
    const instruction: Instruction | undefined = program[next]
    if (instruction === undefined) break
    const said: TriedSend = await say(walking, instruction, now)
    tried.push({ step: instruction.path, at: new Date(now).toISOString(), does: instruction.type, says: said.says })
    if (said.ends !== undefined) return { steps: tried, ends: said.ends }
    now += (said.minutes ?? 0) * 60_000
    next = said.next
  }
  return { steps: tried, ends: 'finished' }
}

const say = async (walking: Walking, instruction: Instruction, now: number): Promise<TriedSend> => {
  switch (instruction.type) {
    case 'wait':
      return { says: `waits ${instruction.minutes} minutes`, next: instruction.next, minutes: instruction.minutes }
    case 'branch': {
      const rule = compileRule(parseRule(instruction.rule))
      const counted = rule.events.length > 0 ? await walking.countEvents(rule.events) : new Map<string, EventFacts>()
      const isMatch = rule.matches(factsOf(walking.contact, counted), now)
      return isMatch
        ? { says: 'the rule holds: then', next: instruction.matched }
        : { says: 'the rule does not hold: else', next: instruction.otherwise }
    }
    case 'send':
      return await saySend(walking, instruction)
    default:
      return instruction satisfies never
  }
}
