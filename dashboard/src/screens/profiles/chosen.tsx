import { Button, Group, NativeSelect } from '@mantine/core'
import { personName } from '@tidings/domain'
import { useState } from 'react'
import { Link } from 'react-router'
import type { Profile } from '../../api/calls.ts'
import { useSlug } from '../../app/session.ts'
import { paths } from '../../paths.ts'
import { BulkProgress, useBulk } from '../../ui/bulk-progress.tsx'
import { FormButtons, FormDialog } from '../../ui/form-dialog.tsx'
import { useWords } from '../../words/words.tsx'
import { type BulkAction, useDoOne, useStaticLists } from './profiles.api.ts'
import styles from './profiles.module.css'

/** More are a campaign, or a rule. */
export const MOST_CHOSEN = 200

type Props = Readonly<{ chosen: readonly Profile[]; onClear: () => void }>
type Verb = BulkAction['verb']

/** What can be done with the profiles that are chosen. */
export function Chosen({ chosen, onClear }: Props) {
  const { bulk: words } = useWords()
  const [verb, setVerb] = useState<Verb | null>(null)
  if (chosen.length === 0) return null
  return (
    <Group gap="sm" role="group" aria-label={words.chosen(chosen.length)}>
      <strong>{words.chosen(chosen.length)}</strong>
      {(['onList', 'offList', 'block'] as const).map((one) => (
        <Button key={one} variant="default" size="compact-sm" onClick={() => setVerb(one)}>
          {words[one]}
        </Button>
      ))}
      <Button variant="subtle" size="compact-sm" onClick={onClear}>
        {words.clear}
      </Button>
      {chosen.length >= MOST_CHOSEN && <span>{words.most(MOST_CHOSEN)}</span>}
      <FormDialog opened={verb !== null} onClose={() => setVerb(null)} title={verb === null ? '' : words[verb]}>
        {verb !== null && <BulkForm verb={verb} chosen={chosen} onClose={() => setVerb(null)} />}
      </FormDialog>
    </Group>
  )
}

type FormProps = Readonly<{ verb: Verb; chosen: readonly Profile[]; onClose: () => void }>

/** Chooses the list or channel, does it for each, and says how it went. Closing the dialog stops it. */
function BulkForm({ verb, chosen, onClose }: FormProps) {
  const { bulk: words, profile, channels } = useWords()
  const slug = useSlug()
  const lists = useStaticLists(verb !== 'block')
  const [target, setTarget] = useState('')
  const { doOne, refresh } = useDoOne()
  const options = verb === 'block' ? (['email', 'sms'] as const).map((value) => ({ value, label: channels[value] })) : lists
  const wanted = target || (options[0]?.value ?? '')
  const bulk = useBulk({
    nameOf: (row: Profile) => ({ id: row.id, name: personName(row) ?? profile.unnamed }),
    doOne: (row) => doOne({ verb, target: wanted }, row.id),
    refresh,
  })
  const show = ({ id, name }: Readonly<{ id: string; name: string }>) => (
    <Link to={paths.profile(slug, id)}>
      <bdi>{name}</bdi>
    </Link>
  )
  if (bulk.progress !== null)
    return <BulkProgress progress={bulk.progress} sentences={words} show={show} onStop={bulk.stop} onClose={onClose} />
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault()
        void bulk.begin(chosen)
      }}
    >
      {verb === 'block' && <p>{words.blockHelp(chosen.length)}</p>}
      {options.length === 0 ? (
        <p>{words.noLists}</p>
      ) : (
        <NativeSelect
          label={verb === 'block' ? words.channel : words.list}
          value={wanted}
          data={options}
          onChange={(event) => setTarget(event.currentTarget.value)}
          data-autofocus
        />
      )}
      <FormButtons verb={words[verb]} pending={false} disabled={wanted === ''} onClose={onClose} />
    </form>
  )
}
