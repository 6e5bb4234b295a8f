import { Button } from '@mantine/core'
import { useEffect, useId, useState } from 'react'
import type { TriedFlow } from '../../api/calls.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { Section } from '../../ui/section.tsx'
import { useWords } from '../../words/words.tsx'
import { type DraftStep, newStep } from './draft.ts'
import { inserted, moved, replaced, type StepPlace, without } from './edits.ts'
import styles from './flow-form.module.css'
import { numbered, problemsIn } from './problems.ts'
import { type Editing, StepList } from './step-list.tsx'

type Props = Readonly<{
  steps: readonly DraftStep[]
  onChange: (steps: readonly DraftStep[]) => void
  /** The step whose fields are shown. */
  open: string | null
  onOpen: (key: string | null) => void
  /** The step that the API has refused. */
  refused: string | null
  /** The way of somebody through these steps. */
  tried: TriedFlow | null
}>

/** The steps as a nested list, in which they are added, changed, moved and removed. What has changed is said, and the focus stays where it was. */
export function Outline({ steps, onChange, open, onOpen, refused, tried }: Props) {
  const { flow, flowForm: words } = useWords()
  const id = useId()
  const [said, setSaid] = useState('')
  const [focused, setFocused] = useState<Readonly<{ id: string }> | null>(null)
  const [removing, setRemoving] = useState<string | null>(null)
  // A step that comes into another list is drawn anew.
  useEffect(() => {
    if (focused !== null) document.getElementById(focused.id)?.focus()
  }, [focused])
  const numbers = new Map(numbered(steps).map(({ step, number }) => [step.key, number]))
  const numberOf = (key: string): number => numbers.get(key) ?? 0
  const way = new Set(tried?.steps.map(({ number }) => number + 1))
  const remove = (key: string): void => {
    setSaid(words.removed(numberOf(key)))
    setRemoving(null)
    onChange(without(steps, key))
    setFocused({ id })
  }
  const editing: Editing = {
    ...{ open, numberOf, refused, problems: problemsIn(steps) },
    isOnWay: (key) => way.has(numberOf(key)),
    idOf: (key, by) => `${id}-${by}-${key}`,
    toggle: (key) => onOpen(key === open ? null : key),
    change: (step) => onChange(replaced(steps, step)),
    add: (place: StepPlace) => {
      const step = newStep('wait')
      onChange(inserted(steps, place, step))
      onOpen(step.key)
    },
    move: (key, by) => {
      const next = moved(steps, key, by)
      setSaid(next === steps ? words.atTheEdge : words.movedTo(numbered(next).find(({ step }) => step.key === key)?.number ?? 0))
      if (next !== steps) onChange(next)
      setFocused({ id: `${id}-${by}-${key}` })
    },
    remove: (step) =>
      step.kind === 'branch' && step.matched.length + step.otherwise.length > 0 ? setRemoving(step.key) : remove(step.key),
  }
  return (
    <Section title={flow.steps}>
      <div id={id} tabIndex={-1} className={styles.outline}>
        {steps.length === 0 ? (
          <Button variant="default" onClick={() => editing.add({ parent: null, arm: 'matched', index: 0 })}>
            {words.add}
          </Button>
        ) : (
          <StepList steps={steps} place={{ parent: null, arm: 'matched' }} editing={editing} />
        )}
      </div>
      <p role="status">{said}</p>
      <Confirm
        opened={removing !== null}
        title={words.removeBranch}
        verb={words.remove}
        pending={false}
        error={null}
        onConfirm={() => removing !== null && remove(removing)}
        onClose={() => setRemoving(null)}
      >
        {words.removeBranchHelp}
      </Confirm>
    </Section>
  )
}
