import type { Instruction, MessageId, SkipReason } from '@tidings/domain'
import { type FlowWork, move, timestamp } from './flow-work.ts'
import type { ReadRun } from './read-run.ts'

/** The next step of a run. */
export type DueStep<OneInstruction extends Instruction = Instruction> = ReadRun & Readonly<{ step: number; instruction: OneInstruction }>
export type Kind<Type extends Instruction['type']> = Extract<Instruction, { type: Type }>

/** The fields that the commands of all steps share. */
export function stepOf({ now }: FlowWork, { run, step }: DueStep, next: number | null) {
  return { runId: run.runId, step, next, at: timestamp(now()) }
}

/** Goes on without having done anything. */
export async function skip(work: FlowWork, due: DueStep<Kind<'send'>>, reason: SkipReason): Promise<void> {
  const command = { type: 'SkipStep', data: { ...stepOf(work, due, due.instruction.next), reason } } as const
  await move(work, due, { command, name: `${due.step}:skip`, causationId: due.lastEventId })
}

/** The message of the step is accepted. */
export async function queued(work: FlowWork, due: DueStep<Kind<'send'>>, messageId: MessageId): Promise<void> {
  const { channel, next } = due.instruction
  const command = { type: 'QueueMessage', data: { ...stepOf(work, due, next), messageId, channel } } as const
  await move(work, due, { command, name: `${due.step}:message`, causationId: due.lastEventId })
}
