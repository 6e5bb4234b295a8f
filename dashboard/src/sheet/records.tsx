import { TextInput } from '@mantine/core'
import { CopyId } from '../ui/copy.tsx'
import { EditRecordForm } from '../ui/edit-record-form.tsx'
import { FormButtons } from '../ui/form-dialog.tsx'
import { NewRecordForm } from '../ui/new-record-form.tsx'
import { Page } from '../ui/page.tsx'
import { NOA, refused } from './signs.tsx'

const nothing = (): void => undefined

type Tea = Readonly<{ etag: string; label: string }>
const TEA: Tea = { etag: '1', label: 'Assam' }
const idle = { error: null, isPending: false, mutate: nothing, reset: nothing }

const label = (draft: string, change: (next: string) => void) => (
  <TextInput label="Label" value={draft} onChange={(event) => change(event.currentTarget.value)} />
)
const edit = (saving: typeof idle | (Omit<typeof idle, 'error'> & Readonly<{ error: Error }>)) => (
  <EditRecordForm record={TEA} draftOf={(tea: Tea) => tea.label} saving={saving} now="Assam" onClose={nothing}>
    {label}
  </EditRecordForm>
)

export const RECORDS = {
  page: () => (
    <Page title="Spring sale" back={{ to: '/', text: 'Campaigns' }} aside={<CopyId id={NOA} />}>
      …
    </Page>
  ),
  'form-dialog': () => (
    <>
      <FormButtons verb="Save" pending={false} onClose={nothing} />
      <FormButtons verb="Save" pending onClose={nothing} />
      <FormButtons verb="Save" pending={false} disabled onClose={nothing} />
    </>
  ),
  'new-record-form': () => (
    <NewRecordForm
      name={{ label: 'Name', help: 'Letters and digits.', maxLength: 64 }}
      first=""
      verb="Create"
      creating={{ error: refused('The name is taken.'), isPending: false }}
      onCreate={nothing}
      onClose={nothing}
    >
      {label}
    </NewRecordForm>
  ),
  'edit-record-form': () => (
    <>
      {edit(idle)}
      {edit({ ...idle, error: refused('Changed.', 'changed_meanwhile') })}
    </>
  ),
} as const
