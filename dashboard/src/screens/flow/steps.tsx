import { Link } from 'react-router'
import { useSlug } from '../../app/session.ts'
import { paths } from '../../paths.ts'
import { type FlowStep, type OutlineStep, waitOf } from '../../ui/flow-outline.ts'
import { useWords } from '../../words/words.tsx'
import styles from './flow.module.css'

type Props = Readonly<{
  steps: readonly OutlineStep[]
  /** The numbers of the steps that the chosen person has been at. */
  way: ReadonlySet<number>
}>

/** The steps as a nested list, each with how many are at it, passed it and left at it. */
export function Steps({ steps, way }: Props) {
  return (
    <ol className={styles.steps}>
      {steps.map((one) => (
        <li key={one.number} className={styles.step} data-on-way={way.has(one.number)}>
          <What step={one.step} />
          <Counts step={one.step} wasHere={way.has(one.number)} />
          {one.step.type === 'branch' && <Arms branch={one} way={way} />}
        </li>
      ))}
    </ol>
  )
}

/** What a step does, in words. */
function What({ step }: Readonly<{ step: FlowStep }>) {
  const { flow: words, channels, locale } = useWords()
  const slug = useSlug()
  if (step.type === 'wait') {
    const { count, unit } = waitOf(step.minutes ?? 0)
    return <span>{words.wait(count.toLocaleString(locale, { style: 'unit', unit, unitDisplay: 'long' }))}</span>
  }
  if (step.type === 'branch')
    return (
      <span>
        {words.branch} <code dir="ltr">{JSON.stringify(step.rule)}</code>
      </span>
    )
  return (
    <span>
      {words.send(channels[step.channel ?? 'email'])}{' '}
      {step.template && (
        <Link to={paths.template(slug, step.template.id)}>
          <bdi>{step.template.name ?? words.goneTemplate}</bdi>
        </Link>
      )}{' '}
      {step.from !== null && <bdi dir="ltr">{step.from}</bdi>}
    </span>
  )
}

function Counts({ step, wasHere }: Readonly<{ step: FlowStep; wasHere: boolean }>) {
  const { flow: words, locale } = useWords()
  const counts = (['inside', 'passed', 'left'] as const).map((name) => words.counts[name](step[name].toLocaleString(locale)))
  return (
    <span className={styles.counts}>
      {counts.join(' · ')}
      {wasHere && <strong> ◆ {words.wasHere}</strong>}
    </span>
  )
}

function Arms({ branch: { matched, otherwise }, way }: Readonly<{ branch: OutlineStep; way: ReadonlySet<number> }>) {
  const { flow: words } = useWords()
  const arms = [
    [words.matched, matched],
    [words.otherwise, otherwise],
  ] as const
  return arms.map(([name, steps]) => (
    <div key={name} className={styles.arm}>
      <span>{name}</span>
      {steps.length === 0 ? <span className={styles.counts}>{words.goesOn}</span> : <Steps steps={steps} way={way} />}
    </div>
  ))
}
