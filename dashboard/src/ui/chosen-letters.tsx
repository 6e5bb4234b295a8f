import { Button, Group, TextInput } from '@mantine/core'
import { isVisible } from '@tidings/domain'
import { type FormEvent, useState } from 'react'
import { useWords } from '../words/words.tsx'
import { BulkProgress, useBulk } from './bulk-progress.tsx'
import { Confirm } from './confirm.tsx'
import { type Letter, type LettersPath, useSettle } from './dead-letters.api.ts'
import { FormButtons, FormDialog } from './form-dialog.tsx'

type Props = Readonly<{
  path: LettersPath
  chosen: readonly Letter[]
  /** Asks before it tries any again: they may be of many workspaces. */
  asksFirst: boolean
  onClear: () => void
}>

const nameOf = ({ id, reference }: Letter) => ({ id, name: reference })
const show = ({ name }: Readonly<{ name: string }>) => <bdi dir="ltr">{name}</bdi>

/** What can be done with the dead letters that are chosen. */
export function ChosenLetters({ path, chosen, asksFirst, onClear }: Props) {
  const { deadLetters: words, bulk: bulkWords } = useWords()
  const [given, setGiven] = useState<readonly Letter[] | null>(null)
  const [asked, setAsked] = useState<readonly Letter[] | null>(null)
  const { retry, refresh } = useSettle(path)
  const trying = useBulk({ nameOf, doOne: ({ id }: Letter) => retry(id), refresh })
  const close = () => setGiven(null)
  const begin = (letters: readonly Letter[]): void => {
    setAsked(null)
    void trying.begin(letters)
  }
  return (
    <>
      {chosen.length > 0 && (
        <Group gap="sm" role="group" aria-label={words.chosen(chosen.length)}>
          <strong>{words.chosen(chosen.length)}</strong>
          <Button
            variant="default"
            size="compact-sm"
            disabled={trying.progress?.isOver === false}
            onClick={() => (asksFirst ? setAsked(chosen) : begin(chosen))}
          >
            {words.retry}
          </Button>
          <Button variant="default" size="compact-sm" onClick={() => setGiven(chosen)}>
            {words.discard}
          </Button>
          <Button variant="subtle" size="compact-sm" onClick={onClear}>
            {bulkWords.clear}
          </Button>
        </Group>
      )}
      {trying.progress && (
        <BulkProgress progress={trying.progress} sentences={words} show={show} onStop={trying.stop} onClose={trying.clear} />
      )}
      {asked && (
        <Confirm
          opened
          title={words.retryTitle(asked.length)}
          verb={words.retry}
          dangerous={false}
          pending={false}
          error={null}
          onConfirm={() => begin(asked)}
          onClose={() => setAsked(null)}
        >
          {words.retryHelp}
        </Confirm>
      )}
      <FormDialog opened={given !== null} onClose={close} title={words.discardTitle(given?.length ?? 0)}>
        {given !== null && <DiscardForm path={path} letters={given} onClose={close} />}
      </FormDialog>
    </>
  )
}

type DiscardProps = Readonly<{ path: LettersPath; letters: readonly Letter[]; onClose: () => void }>

/** Closing the dialog stops it. */
function DiscardForm({ path, letters, onClose }: DiscardProps) {
  const { deadLetters: words } = useWords()
  const [reason, setReason] = useState('')
  const { discard, refresh } = useSettle(path)
  const bulk = useBulk({ nameOf, doOne: ({ id }: Letter) => discard(id, reason), refresh })
  if (bulk.progress !== null)
    return <BulkProgress progress={bulk.progress} sentences={words} show={show} onStop={bulk.stop} onClose={onClose} />
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    void bulk.begin(letters)
  }
  return (
    <form onSubmit={submit}>
      <p>{words.discardHelp}</p>
      <TextInput
        label={words.reason}
        required
        maxLength={500}
        dir="auto"
        data-autofocus
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
      <FormButtons verb={words.discard} pending={false} disabled={!isVisible(reason)} onClose={onClose} />
    </form>
  )
}
