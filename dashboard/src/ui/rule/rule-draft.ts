import { parseRule, type Rule, RuleMistake } from '@tidings/domain'
import { type DraftGroup, draftOf, fitsForm, newGroup, ruleOf } from './draft.ts'

/** A rule while somebody writes it. `text`: as JSON, while it is written so; one that the form cannot show begins so, and stays so. */
export type RuleDraft = Readonly<{ group: DraftGroup; text: string | null }>

export function newRuleDraft(): RuleDraft {
  return { group: newGroup('all'), text: null }
}

/** The form of a rule that is stored. */
export function ruleDraftOf(stored: unknown): RuleDraft {
  const rule = parseRule(stored)
  return { group: draftOf(rule), text: fitsForm(rule) ? null : asJson(rule) }
}

/** The rule as `parseRule` takes it; a text that is no JSON stays one, so that `parseRule` refuses it. */
export function writtenRule({ group, text }: RuleDraft): unknown {
  if (text === null) return ruleOf(group)
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

type ReadRule = Readonly<{ rule: Rule; mistake: null } | { rule: null; mistake: string }>

/** The rule, or the sentence that says why it is none: what the API would say. */
export function readRule(draft: RuleDraft): ReadRule {
  try {
    return { rule: parseRule(draft.text === null ? ruleOf(draft.group) : JSON.parse(draft.text)), mistake: null }
  } catch (error) {
    if (!(error instanceof RuleMistake || error instanceof SyntaxError)) throw error
    return { rule: null, mistake: error.message }
  }
}

/** The same rule written the other way; null where the form cannot show it. */
export function toggled(draft: RuleDraft): RuleDraft | null {
  if (draft.text === null) return { ...draft, text: asJson(ruleOf(draft.group)) }
  const { rule } = readRule(draft)
  return rule !== null && fitsForm(rule) ? { group: draftOf(rule), text: null } : null
}

const asJson = (rule: unknown): string => JSON.stringify(rule, null, 2)
