import type { DraftStep } from './draft.ts'

type Steps = readonly DraftStep[]
type Arm = 'matched' | 'otherwise'

/** Where a step stands: in the flow itself (`parent` null), or in one arm of a branch. */
export type StepPlace = Readonly<{ parent: string | null; arm: Arm; index: number }>

/** Each list of steps, that of the flow and those of branches, as `change` makes it; the innermost first. */
const mapLists = (steps: Steps, change: (list: Steps, of: Omit<StepPlace, 'index'>) => Steps): Steps => {
  const inside = (step: DraftStep): DraftStep => {
    if (step.kind !== 'branch') return step
    const arm = (name: Arm): Steps => change(step[name].map(inside), { parent: step.key, arm: name })
    return { ...step, matched: arm('matched'), otherwise: arm('otherwise') }
  }
  return change(steps.map(inside), { parent: null, arm: 'matched' })
}

export function inserted(steps: Steps, { parent, arm, index }: StepPlace, step: DraftStep): Steps {
  return mapLists(steps, (list, of) => (of.parent === parent && of.arm === arm ? list.toSpliced(index, 0, step) : list))
}

/** Without the step, and without those that stand in it. */
export function without(steps: Steps, key: string): Steps {
  return mapLists(steps, (list) => list.filter((one) => one.key !== key))
}

export function replaced(steps: Steps, step: DraftStep): Steps {
  return mapLists(steps, (list) => list.map((one) => (one.key === step.key ? step : one)))
}

type FoundStep = Readonly<{ step: DraftStep; siblings: Steps; place: StepPlace }>

const find = (steps: Steps, key: string, of: Omit<StepPlace, 'index'> = { parent: null, arm: 'matched' }): FoundStep | null => {
  for (const [index, step] of steps.entries()) {
    if (step.key === key) return { step, siblings: steps, place: { ...of, index } }
    if (step.kind !== 'branch') continue
    const inside =
      find(step.matched, key, { parent: step.key, arm: 'matched' }) ?? find(step.otherwise, key, { parent: step.key, arm: 'otherwise' })
    if (inside !== null) return inside
  }
  return null
}

/**
 * The step one place further up or down, as the outline is read: into the nearer arm of a branch that it meets, from one arm into the other, and out of
 * the branch behind that. The same steps where there is no such place.
 */
export function moved(steps: Steps, key: string, by: 'up' | 'down'): Steps {
  const found = find(steps, key)
  const to = found && (by === 'up' ? placeAbove(steps, found) : placeBelow(steps, found))
  return found && to ? inserted(without(steps, key), to, found.step) : steps
}

const placeAbove = (steps: Steps, { siblings, place }: FoundStep): StepPlace | null => {
  const before = siblings[place.index - 1]
  if (before?.kind === 'branch') return { parent: before.key, arm: 'otherwise', index: before.otherwise.length }
  if (before !== undefined) return { ...place, index: place.index - 1 }
  const around = place.parent === null ? null : find(steps, place.parent)
  if (around?.step.kind !== 'branch') return null
  return place.arm === 'otherwise' ? { ...place, arm: 'matched', index: around.step.matched.length } : around.place
}

const placeBelow = (steps: Steps, { siblings, place }: FoundStep): StepPlace | null => {
  const after = siblings[place.index + 1]
  if (after?.kind === 'branch') return { parent: after.key, arm: 'matched', index: 0 }
  if (after !== undefined) return { ...place, index: place.index + 1 }
  if (place.parent !== null && place.arm === 'matched') return { ...place, arm: 'otherwise', index: 0 }
  const around = place.parent === null ? null : find(steps, place.parent)
  return around && { ...around.place, index: around.place.index + 1 }
}
