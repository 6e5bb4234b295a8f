import { Button, Checkbox, Textarea } from '@mantine/core'
import { useState } from 'react'
import type { ShownForms } from '../../api/calls.ts'
import { EditRecordForm } from '../../ui/edit-record-form.tsx'
import { Facts } from '../../ui/facts.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Section } from '../../ui/section.tsx'
import { useWords } from '../../words/words.tsx'
import { originsIn } from './draft.ts'
import { type SettingsDraft, useSetFormSettings } from './forms.api.ts'
import styles from './forms.module.css'

type Props = Readonly<{ settings: ShownForms['settings'] }>

function Origins({ origins }: Readonly<{ origins: readonly string[] }>) {
  const { forms: words } = useWords()
  if (origins.length === 0) return words.noOrigins
  return origins.map((origin) => (
    <div key={origin} className={styles.name}>
      <bdi dir="ltr">{origin}</bdi>
    </div>
  ))
}

/** Whether pages may use the forms, and the pages of which sites. */
export function FormSettings({ settings }: Props) {
  const { ui, forms: words } = useWords()
  const [isOpen, setOpen] = useState(false)
  const close = (): void => setOpen(false)
  return (
    <Section title={words.settings}>
      <Facts
        items={[
          [words.enabled, settings.enabled ? ui.yes : ui.no],
          [words.origins, <Origins key="origins" origins={settings.origins} />],
        ]}
      />
      <div>
        <Button variant="default" onClick={() => setOpen(true)} aria-label={words.changeSettings}>
          {ui.change}
        </Button>
      </div>
      <FormDialog opened={isOpen} onClose={close} title={words.changeSettings}>
        <EditSettings settings={settings} onClose={close} />
      </FormDialog>
    </Section>
  )
}

const draftOf = ({ enabled, origins }: ShownForms['settings']): SettingsDraft => ({ enabled, lines: origins.join('\n') })

function EditSettings({ settings, onClose }: Props & Readonly<{ onClose: () => void }>) {
  const { forms: words } = useWords()
  const saving = useSetFormSettings(({ lines }) => originsIn(lines), onClose)
  const now = (
    <>
      {settings.enabled ? words.enabled : words.disabled} <Origins origins={settings.origins} />
    </>
  )
  return (
    <EditRecordForm record={settings} draftOf={draftOf} saving={saving} now={now} onClose={onClose} className={styles.form}>
      {(draft, change) => (
        <>
          <Checkbox
            label={words.enabled}
            description={words.enabledHelp}
            checked={draft.enabled}
            onChange={(event) => change({ ...draft, enabled: event.currentTarget.checked })}
          />
          <Textarea
            label={words.origins}
            description={words.originsHelp}
            dir="ltr"
            autosize
            minRows={3}
            maxRows={10}
            value={draft.lines}
            onChange={(event) => change({ ...draft, lines: event.currentTarget.value })}
          />
        </>
      )}
    </EditRecordForm>
  )
}
