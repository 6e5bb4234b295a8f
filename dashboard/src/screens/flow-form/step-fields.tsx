import { NativeSelect, TextInput } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { shownOptions, useSenders, useTemplates } from '../../ui/choices.ts'
import type { WaitUnit } from '../../ui/flow-outline.ts'
import { Problem } from '../../ui/problem.tsx'
import { readRule } from '../../ui/rule/rule-draft.ts'
import { RuleFields } from '../../ui/rule/rule-fields.tsx'
import { RuleMatches } from '../../ui/rule/rule-matches.tsx'
import { useWords } from '../../words/words.tsx'
import { type BranchDraft, type DraftStep, KINDS, newStep, type SendDraft, type WaitDraft } from './draft.ts'
import styles from './flow-form.module.css'

type Props<Step> = Readonly<{ step: Step; onChange: (step: DraftStep) => void }>

/** The fields of one step; the first has the focus once they are there. A branch that others stand in stays one. */
export function StepFields({ step, onChange }: Props<DraftStep>) {
  const { flowForm: words } = useWords()
  const kind = useRef<HTMLSelectElement>(null)
  useEffect(() => kind.current?.focus(), [])
  const isHeld = step.kind === 'branch' && step.matched.length + step.otherwise.length > 0
  return (
    <div className={styles.fields}>
      <NativeSelect
        ref={kind}
        label={words.kind}
        value={step.kind}
        data={KINDS.map((value) => ({ value, label: words.kinds[value], disabled: isHeld && value !== 'branch' }))}
        onChange={(event) => onChange(newStep(KINDS.find((one) => one === event.currentTarget.value) ?? 'wait', step.key))}
      />
      {step.kind === 'wait' && <WaitFields step={step} onChange={onChange} />}
      {step.kind === 'branch' && <BranchFields step={step} onChange={onChange} />}
      {step.kind !== 'wait' && step.kind !== 'branch' && <SendFields step={step} onChange={onChange} />}
    </div>
  )
}

const UNITS: readonly WaitUnit[] = ['minute', 'hour', 'day']

function WaitFields({ step, onChange }: Props<WaitDraft>) {
  const { flowForm: words } = useWords()
  return (
    <div className={styles.row}>
      <TextInput
        label={words.howLong}
        inputMode="numeric"
        maxLength={6}
        value={step.count}
        onChange={(event) => onChange({ ...step, count: event.currentTarget.value })}
      />
      <NativeSelect
        label={words.unit}
        value={step.unit}
        data={UNITS.map((value) => ({ value, label: words.units[value] }))}
        onChange={(event) => onChange({ ...step, unit: UNITS.find((unit) => unit === event.currentTarget.value) ?? 'day' })}
      />
    </div>
  )
}

function SendFields({ step, onChange }: Props<SendDraft>) {
  const { campaign: words } = useWords()
  const { data = [], error, refetch } = useTemplates()
  const options = data.filter(({ channel }) => channel === step.kind).map(({ value, label }) => ({ value, label }))
  return (
    <div className={styles.row}>
      <NativeSelect
        label={words.template}
        value={step.templateId}
        data={[{ value: '', label: words.none }, ...shownOptions(options, step.templateId)]}
        onChange={(event) => onChange({ ...step, templateId: event.currentTarget.value })}
      />
      {step.kind !== 'push' && <SenderField key={step.kind} step={step} channel={step.kind} onChange={onChange} />}
      {error && <Problem error={error} onRetry={() => void refetch()} />}
    </div>
  )
}

function SenderField({ step, channel, onChange }: Props<SendDraft> & Readonly<{ channel: 'email' | 'sms' }>) {
  const { campaign: words } = useWords()
  const { data = [], error, refetch } = useSenders(channel)
  return (
    <>
      <NativeSelect
        label={words.from}
        value={step.from}
        data={[{ value: '', label: words.none }, ...shownOptions(data, step.from)]}
        onChange={(event) => onChange({ ...step, from: event.currentTarget.value })}
      />
      {error && <Problem error={error} onRetry={() => void refetch()} />}
    </>
  )
}

/** The rule, and for how many of the workspace it holds now; those whom the flow lets in may be others. */
function BranchFields({ step, onChange }: Props<BranchDraft>) {
  return (
    <>
      <RuleFields draft={step.rule} onChange={(rule) => onChange({ ...step, rule })} />
      <RuleMatches rule={readRule(step.rule).rule} />
    </>
  )
}
