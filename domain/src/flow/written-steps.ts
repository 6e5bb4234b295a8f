import { parseRule } from '../rules/parse-rule.ts'
import type { Rule } from '../rules/rule.ts'
import { inNfc } from '../values.ts'
import { MAX_WAIT_MINUTES } from './flows.ts'

/** A step as people write it: `template` is a name in a workspace file, an id elsewhere; `matched` and `otherwise` are `then` and `else`. */
export type WrittenStep =
  | Readonly<{ type: 'wait'; minutes: number; path: string }>
  | Readonly<{ type: 'send'; channel: 'email' | 'sms'; template: string; from: string; path: string }>
  | Readonly<{ type: 'send'; channel: 'push'; template: string; path: string }>
  | Readonly<{ type: 'branch'; rule: Rule; matched: readonly WrittenStep[]; otherwise: readonly WrittenStep[]; path: string }>

/** Limits of one flow: all its steps, with those of branches, and the depth of branches in branches. */
export const FLOW_LIMITS = { steps: 100, depth: 5 } as const

/** A step that no flow can have, said in one sentence with its path. */
export class StepMistake extends Error {
  override readonly name = 'StepMistake'
}

const fail = (sentence: string): never => {
  throw new StepMistake(sentence)
}

type ReadRule = (input: unknown, path: string) => Rule
type StepPosition = Readonly<{ path: string; depth: number; left: { steps: number }; readRule: ReadRule }>

/** The steps of a flow as they are written (M10). Throws `StepMistake`, or `RuleMistake` for the rule of a branch, which `readRule` reads. */
export function parseSteps(input: readonly unknown[], path: string, readRule: ReadRule = parseRule): readonly WrittenStep[] {
  if (input.length === 0) fail(`${path} must have at least one step`)
  return stepsAt(input, { path, depth: 1, left: { steps: FLOW_LIMITS.steps }, readRule })
}

const stepsAt = (input: unknown, at: StepPosition): readonly WrittenStep[] => {
  if (!Array.isArray(input)) return fail(`${at.path} must be a list of steps`)
  return input.map((step, i) => stepAt(step, { ...at, path: `${at.path}[${i}]` }))
}

const stepAt = (input: unknown, at: StepPosition): WrittenStep => {
  const { path, left } = at
  if (left.steps-- === 0) fail(`${path} is one step too many: a flow has at most ${FLOW_LIMITS.steps}`)
  const step = mapOf(input, path)
  const [kind = '', ...others] = Object.keys(step)
  if (others.length > 0) fail(`${path} must be one step: it has ${kind} and ${others.join(', ').slice(0, 100)}`)
  switch (kind) {
    case 'wait':
      return waitAt(step[kind], `${path}.wait`)
    case 'send':
      return sendAt(step[kind], `${path}.send`)
    case 'branch':
      return branchAt(step[kind], { ...at, path: `${path}.branch` })
    default:
      return fail(`${path} must be a map with wait, send or branch`)
  }
}

const waitAt = (input: unknown, path: string): WrittenStep => {
  const { minutes } = mapOf(input, path, ['minutes'])
  const isWhole = typeof minutes === 'number' && Number.isInteger(minutes)
  if (!isWhole || minutes < 0 || minutes > MAX_WAIT_MINUTES)
    return fail(`${path}.minutes must be a whole number from 0 to ${MAX_WAIT_MINUTES}`)
  return { type: 'wait', minutes, path }
}

const sendAt = (input: unknown, path: string): WrittenStep => {
  const { channel, template, from } = mapOf(input, path, ['channel', 'template', 'from'])
  if (channel !== 'email' && channel !== 'sms' && channel !== 'push') return fail(`${path}.channel must be one of email, sms, push`)
  const named = nameAt(template, `${path}.template`)
  if (channel !== 'push') return { type: 'send', channel, template: named, from: nameAt(from, `${path}.from`), path }
  // A push has no sender: one that is given all the same says nothing.
  if (from !== undefined) nameAt(from, `${path}.from`)
  return { type: 'send', channel, template: named, path }
}

const branchAt = (input: unknown, at: StepPosition): WrittenStep => {
  const { path, depth } = at
  const branch = mapOf(input, path, ['rule', 'then', 'else'])
  if (depth >= FLOW_LIMITS.depth) fail(`${path} is too deep: branches stand in at most ${FLOW_LIMITS.depth - 1} others`)
  const below = { ...at, depth: depth + 1 }
  return {
    type: 'branch',
    rule: at.readRule(branch.rule, `${path}.rule`),
    matched: stepsAt(branch.then, { ...below, path: `${path}.then` }),
    otherwise: branch.else === undefined ? [] : stepsAt(branch.else, { ...below, path: `${path}.else` }),
    path,
  }
}

const mapOf = (input: unknown, path: string, known?: readonly string[]): Readonly<Record<string, unknown>> => {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return fail(`${path} must be a map`)
  const other = known && Object.keys(input).find((key) => !known.includes(key))
  if (other !== undefined) fail(`${path}.${other.slice(0, 100)} is not a field of a step`)
  return { ...input }
}

const nameAt = (value: unknown, path: string): string => {
  if (typeof value !== 'string' || value === '' || value.length > 320) return fail(`${path} must be a text of 1 to 320 characters`)
  return inNfc(value)
}
