import type { TriedFlow } from '../../api/calls.ts'
import { waitOf } from '../../ui/flow-outline.ts'
import { Time } from '../../ui/time.tsx'
import { useWords } from '../../words/words.tsx'
import styles from './flow-form.module.css'

type TriedStep = TriedFlow['steps'][number]

/** The steps that the person would go, one after the other: when, and what each would do. */
export function TriedSteps({ steps }: Readonly<{ steps: readonly TriedStep[] }>) {
  const { flowForm, flowTry: words } = useWords()
  return (
    <ol className={styles.tried} aria-label={words.way}>
      {steps.map((step) => (
        <li key={step.number}>
          <Time at={step.at} inTable /> {flowForm.step(step.number + 1)} <Outcome step={step} />
        </li>
      ))}
    </ol>
  )
}

function Outcome({ step }: Readonly<{ step: TriedStep }>) {
  const { flowTry: words, messages, locale } = useWords()
  const { outcome, channel, reason } = step
  switch (outcome) {
    case 'waits': {
      const { count, unit } = waitOf(step.minutes ?? 0)
      return words.waits(count.toLocaleString(locale, { style: 'unit', unit, unitDisplay: 'long' }))
    }
    case 'sends':
      return <Message step={step} />
    case 'no_address':
      return words.noAddress[channel ?? 'email']
    case 'template_gone':
      return words.archived
    case 'not_allowed': {
      const reasons: Readonly<Record<string, string>> = messages.heldReasons
      return `${words.notAllowed} ${reasons[reason ?? ''] ?? reason ?? ''}`
    }
    case 'not_rendered':
      return words.notRendered
    default:
      return words[outcome]
  }
}

function Message({ step: { channel, to, from, text, credits, browsers } }: Readonly<{ step: TriedStep }>) {
  const { flowTry: words } = useWords()
  return (
    <>
      {words.sends[channel ?? 'email']} <bdi>{text}</bdi> {browsers !== null && words.browsers(browsers)}
      {to !== null && (
        <>
          {words.to} <bdi dir="ltr">{to}</bdi>
        </>
      )}{' '}
      {from !== null && (
        <>
          {words.from} <bdi dir="ltr">{from}</bdi>
        </>
      )}{' '}
      {credits !== null && words.credits(credits)}
    </>
  )
}
