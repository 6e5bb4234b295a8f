import { parseSteps, RuleMistake, StepMistake } from '@tidings/domain'
import { type Draft, type DraftStep, writtenStep } from './draft.ts'

/** `number`: counted from 1 in the order in which the steps are read; `path`: how sentences of the domain and of the API name the step. */
export type NumberedStep = Readonly<{ step: DraftStep; number: number; path: string }>

/** All steps, those of branches included. */
export function numbered(steps: readonly DraftStep[]): readonly NumberedStep[] {
  const walk = (list: readonly DraftStep[], path: string): readonly Omit<NumberedStep, 'number'>[] =>
    list.flatMap((step, index) => {
      const here = `${path}[${index}]`
      const inside =
        step.kind === 'branch' ? [...walk(step.matched, `${here}.branch.then`), ...walk(step.otherwise, `${here}.branch.else`)] : []
      return [{ step, path: here }, ...inside]
    })
  return walk(steps, 'steps').map((one, index) => ({ ...one, number: index + 1 }))
}

/** What is wrong with a step: a word of the form, or the sentence of a rule. */
export type StepProblem = 'wait' | 'template' | 'from' | Readonly<{ sentence: string }>

const mistakeOf = (steps: readonly DraftStep[]): string | null => {
  try {
    parseSteps(steps.map(writtenStep), 'steps')
    return null
  } catch (error) {
    if (!(error instanceof StepMistake || error instanceof RuleMistake)) throw error
    return error.message
  }
}

const ownProblem = (step: DraftStep): StepProblem | null => {
  if (step.kind === 'branch') {
    const sentence = mistakeOf([{ ...step, matched: [], otherwise: [] }])
    // Here it is the only step: whose rule it is, the outline shows.
    return sentence === null ? null : { sentence: sentence.replace('steps[0].branch.', '') }
  }
  if (mistakeOf([step]) === null) return null
  if (step.kind === 'wait') return 'wait'
  return step.templateId === '' ? 'template' : 'from'
}

/** The step that a sentence of the domain or of the API names, by its key; null where it names none. */
export function stepNamed(steps: readonly DraftStep[], sentence: string): string | null {
  const named = numbered(steps).filter(({ path }) => sentence.startsWith(path))
  return named.toSorted((one, other) => other.path.length - one.path.length)[0]?.step.key ?? null
}

/** What is wrong with the steps, each by its key. Where every step is right, what the domain says of all of them together. */
export function problemsIn(steps: readonly DraftStep[]): ReadonlyMap<string, StepProblem> {
  const own = numbered(steps).flatMap(({ step }) => {
    const problem = ownProblem(step)
    return problem === null ? [] : [[step.key, problem] as const]
  })
  if (own.length > 0 || steps.length === 0) return new Map(own)
  const sentence = mistakeOf(steps)
  const key = sentence === null ? null : stepNamed(steps, sentence)
  return new Map(key === null || sentence === null ? [] : [[key, { sentence }]])
}

/** Why the flow cannot be saved, by the part that is wrong; null where it can. */
export function mistakeIn({ name, trigger, steps }: Draft): 'name' | 'list' | 'event' | 'empty' | 'steps' | null {
  if (name.trim() === '') return 'name'
  if (trigger.type === 'list_joined' && trigger.list === '') return 'list'
  if (trigger.type === 'custom_event' && trigger.event.trim() === '') return 'event'
  if (steps.length === 0) return 'empty'
  return problemsIn(steps).size > 0 ? 'steps' : null
}
