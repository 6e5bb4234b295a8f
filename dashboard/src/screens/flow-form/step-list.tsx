import { Button } from '@mantine/core'
import { useTemplates } from '../../ui/choices.ts'
import { useWords } from '../../words/words.tsx'
import { type BranchDraft, type DraftStep, minutesOf } from './draft.ts'
import type { StepPlace } from './edits.ts'
import styles from './flow-form.module.css'
import type { StepProblem } from './problems.ts'
import { StepFields } from './step-fields.tsx'

/** What the outline knows, and can do, for every step. */
export type Editing = Readonly<{
  open: string | null
  refused: string | null
  problems: ReadonlyMap<string, StepProblem>
  numberOf: (key: string) => number
  /** Whether the person for whom the flow is tried would come to it. */
  isOnWay: (key: string) => boolean
  /** The id of the button that moves the step. */
  idOf: (key: string, by: 'up' | 'down') => string
  toggle: (key: string) => void
  change: (step: DraftStep) => void
  add: (place: StepPlace) => void
  move: (key: string, by: 'up' | 'down') => void
  remove: (step: DraftStep) => void
}>

type ListPlace = Omit<StepPlace, 'index'>

/** The steps of the flow, or of one arm of a branch. */
export function StepList({ steps, place, editing }: Readonly<{ steps: readonly DraftStep[]; place: ListPlace; editing: Editing }>) {
  const { flowForm: words } = useWords()
  return (
    <ol className={styles.steps}>
      {steps.map((step, index) => (
        <li key={step.key} className={styles.step} data-on-way={editing.isOnWay(step.key)}>
          <Step step={step} editing={editing} />
          {step.kind === 'branch' && <Arms branch={step} editing={editing} />}
          <Button variant="default" size="compact-sm" onClick={() => editing.add({ ...place, index: index + 1 })}>
            {words.addAfter(editing.numberOf(step.key))}
          </Button>
        </li>
      ))}
    </ol>
  )
}

function Step({ step, editing }: Readonly<{ step: DraftStep; editing: Editing }>) {
  const { flowForm: words, flowTry } = useWords()
  const number = editing.numberOf(step.key)
  const isOpen = editing.open === step.key
  return (
    <>
      <div className={styles.summary}>
        <strong>{words.step(number)}</strong> <Summary step={step} />
        {editing.isOnWay(step.key) && <strong className={styles.onWay}> ◆ {flowTry.onWay}</strong>}
      </div>
      <StepProblems step={step} editing={editing} />
      <div className={styles.row}>
        <Button variant="default" size="compact-sm" aria-expanded={isOpen} onClick={() => editing.toggle(step.key)}>
          {isOpen ? words.close(number) : words.change(number)}
        </Button>
        {(['up', 'down'] as const).map((by) => (
          <Button
            key={by}
            id={editing.idOf(step.key, by)}
            variant="default"
            size="compact-sm"
            aria-label={words.move[by](number)}
            onClick={() => editing.move(step.key, by)}
          >
            <span aria-hidden="true">{by === 'up' ? '↑' : '↓'}</span>
          </Button>
        ))}
        <Button variant="default" size="compact-sm" aria-label={words.removeStep(number)} onClick={() => editing.remove(step)}>
          {words.remove}
        </Button>
      </div>
      {isOpen && <StepFields step={step} onChange={editing.change} />}
    </>
  )
}

/** What a step does, in words. */
function Summary({ step }: Readonly<{ step: DraftStep }>) {
  const { flow, flowForm: words, channels, locale } = useWords()
  const { data: templates = [] } = useTemplates()
  if (step.kind === 'wait') {
    const isWhole = minutesOf(step) !== null
    const unit = { style: 'unit', unit: step.unit, unitDisplay: 'long' } as const
    return <span>{flow.wait(isWhole ? Number(step.count).toLocaleString(locale, unit) : '…')}</span>
  }
  if (step.kind === 'branch') return <span>{words.kinds.branch}</span>
  return (
    <span>
      {flow.send(channels[step.kind])} <bdi>{templates.find(({ value }) => value === step.templateId)?.label ?? '…'}</bdi>
    </span>
  )
}

function StepProblems({ step: { key }, editing: { problems, refused } }: Readonly<{ step: DraftStep; editing: Editing }>) {
  const { flowForm: words } = useWords()
  const problem = problems.get(key)
  if (problem === undefined && refused !== key) return null
  return (
    <div className={styles.problem}>
      ▲{' '}
      {problem === undefined ? (
        words.refused
      ) : typeof problem === 'string' ? (
        words.problems[problem]
      ) : (
        <bdi lang="en">{problem.sentence}</bdi>
      )}
    </div>
  )
}

function Arms({ branch, editing }: Readonly<{ branch: BranchDraft; editing: Editing }>) {
  const { flow, flowForm: words } = useWords()
  return (['matched', 'otherwise'] as const).map((arm) => (
    <section key={arm} className={styles.arm} aria-label={words.arm(flow[arm], editing.numberOf(branch.key))}>
      <div>{flow[arm]}</div>
      {branch[arm].length > 0 ? (
        <StepList steps={branch[arm]} place={{ parent: branch.key, arm }} editing={editing} />
      ) : (
        <>
          <span className={styles.quiet}>{flow.goesOn}</span>{' '}
          <Button
            variant="default"
            size="compact-sm"
            aria-label={words.addIn(flow[arm], editing.numberOf(branch.key))}
            onClick={() => editing.add({ parent: branch.key, arm, index: 0 })}
          >
            {words.add}
          </Button>
        </>
      )}
    </section>
  ))
}
