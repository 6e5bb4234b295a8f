import { Button, Checkbox, TextInput } from '@mantine/core'
import { useState } from 'react'
import { ChoosePerson } from '../../ui/choose-person.tsx'
import { EventValues } from '../../ui/event-values.tsx'
import { Problem } from '../../ui/problem.tsx'
import { PropertiesInput } from '../../ui/properties-input.tsx'
import { Section } from '../../ui/section.tsx'
import { useWords } from '../../words/words.tsx'
import styles from './flow-form.module.css'
import { CHANNELS, TEXTS, type Trial } from './trial.ts'
import { TriedSteps } from './tried-steps.tsx'
import type { Trying } from './use-trial.ts'

type Props = Readonly<{ trying: Trying; isEvent: boolean }>

/** Walks the steps as they stand in the form, once somebody asks for it. */
export function Try({ trying, isEvent }: Props) {
  const { flowTry: words } = useWords()
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <div>
        <Button variant="default" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {words.title}
        </Button>
      </div>
      {isOpen && <Trials trying={trying} isEvent={isEvent} />}
    </>
  )
}

/** The person of the workspace, or the example, and what would happen. */
function Trials({ trying, isEvent }: Props) {
  const { flowForm, flowTry: words } = useWords()
  const { trial, setTrial, mistake, isReady, run, isPending, tried, error } = trying
  return (
    <Section title={words.way}>
      <p className={styles.quiet}>{words.help}</p>
      <div className={styles.fields}>
        <ChoosePerson
          label={words.person}
          none={words.example}
          value={trial.person}
          onChange={(person) => setTrial({ ...trial, person })}
        />
        {trial.person === null && <Example trial={trial} onChange={setTrial} />}
        {trial.person === null && (
          <PropertiesInput label={words.custom} text={trial.custom} onChange={(custom) => setTrial({ ...trial, custom })} />
        )}
        {isEvent && <EventValues text={trial.values} onChange={(values) => setTrial({ ...trial, values })} />}
      </div>
      <div className={styles.row}>
        <Button onClick={run} loading={isPending} disabled={mistake !== null || !isReady}>
          {words.run}
        </Button>
        {mistake !== null && <span className={styles.quiet}>{flowForm.mistakes[mistake]}</span>}
      </div>
      {error && <Problem error={error} />}
      <div role="status">{tried && `${words.entry[tried.entry]} ${words.ends[tried.ends]}`}</div>
      {tried && <TriedSteps steps={tried.steps} />}
    </Section>
  )
}

type ExampleProps = Readonly<{ trial: Trial; onChange: (trial: Trial) => void }>

function Example({ trial, onChange }: ExampleProps) {
  const { profile, profiles, flowTry: words, channels } = useWords()
  const labels = { ...profile.fields, email: profiles.email, phone: profiles.phone }
  return (
    <>
      <div className={styles.row}>
        {TEXTS.map((name) => (
          <TextInput
            key={name}
            label={labels[name]}
            dir={name === 'email' || name === 'phone' ? 'ltr' : 'auto'}
            maxLength={255}
            value={trial[name]}
            {...(name === 'tags' && { description: profile.tagsHelp })}
            onChange={(event) => onChange({ ...trial, [name]: event.currentTarget.value })}
          />
        ))}
      </div>
      <fieldset className={styles.channels}>
        <legend>{words.agrees}</legend>
        {CHANNELS.map((channel) => (
          <Checkbox
            key={channel}
            label={channels[channel]}
            checked={trial.agrees.includes(channel)}
            onChange={(event) =>
              onChange({
                ...trial,
                agrees: CHANNELS.filter((one) => (one === channel ? event.currentTarget.checked : trial.agrees.includes(one))),
              })
            }
          />
        ))}
      </fieldset>
    </>
  )
}
