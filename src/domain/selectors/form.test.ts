import { describe, expect, it } from 'vitest'
import { parseDocument } from './document.ts'
import { type FormFields, formSubmission, type SubmitOptions } from './form.ts'

const BASE = 'http://site.test/dir/page'

function submit(html: string, fields: FormFields = {}, options?: SubmitOptions) {
  return formSubmission(parseDocument(html, { kind: 'html' }).css('form'), fields, BASE, options)
}

function sent(controls: string, fields?: FormFields, options?: SubmitOptions): string | undefined {
  return submit(`<form method=post>${controls}</form>`, fields, options).body
}

describe('formSubmission', () => {
  it('sends a login as a browser does', () => {
    const login = `<form action="/login" method="POST"><input type=hidden name=csrf value="a&amp;b">
      <input name=user><input type=password name=pw><button>Log in</button></form>`
    expect(submit(login, { user: 'me', pw: 'ö +' })).toEqual({
      method: 'POST',
      url: 'http://site.test/login',
      body: 'csrf=a%26b&user=me&pw=%C3%B6+%2B',
      contentType: 'application/x-www-form-urlencoded',
    })
  })

  it('puts the fields of a GET in place of the query', () => {
    expect(submit('<form action="search?old=1#top"><input name=q value=x></form>', { page: '2' })).toEqual({
      method: 'GET',
      url: 'http://site.test/dir/search?q=x&page=2#top',
    })
    expect(submit('<form></form>').url).toBe(BASE)
  })

  it('sends boxes that are checked, options that are selected, and texts', () => {
    expect(
      sent(
        '<input type=checkbox name=a checked><input type=checkbox name=b><input type=radio name=r value=1><input type=radio name=r value=2 checked>',
      ),
    ).toBe('a=on&r=2')
    expect(sent('<select name=s><option>one<option value=2 selected>two</select>')).toBe('s=2')
    expect(sent('<select name=s><option disabled>none<option> first  one<option>two</select>')).toBe(
      's=first+one',
    )
    expect(
      sent('<select name=s multiple><option selected>1<option>2<optgroup><option selected>3</select>'),
    ).toBe('s=1&s=3')
    expect(sent('<select name=s multiple><option>1</select>')).toBe('')
    expect(sent('<textarea name=t>\n a\n<b></textarea>')).toBe('t=+a%0D%0A%3Cb%3E')
  })

  it('leaves out what has no name, is disabled, a file, or not the button that is pressed', () => {
    expect(
      sent(
        '<input value=x><input name=d disabled><input type=file name=f><input type=reset name=r><button type=button name=b>',
      ),
    ).toBe('')
    expect(
      sent(
        '<fieldset disabled><legend><input name=l></legend><div><input name=in></div></fieldset><input name=out>',
      ),
    ).toBe('l=&out=')
    expect(sent('<datalist><div><input name=d></div></datalist>')).toBe('')
  })

  it('presses the first submit button, the one that is named, or none', () => {
    const buttons =
      '<input type=submit name=save value=S><button name=drop value=D formaction=/drop>x</button><input type=image id=i name=pic>'
    expect(sent(buttons)).toBe('save=S')
    expect(sent(buttons, {}, { click: 'drop' })).toBe('drop=D')
    expect(sent(buttons, {}, { click: 'i' })).toBe('pic.x=0&pic.y=0')
    expect(sent(buttons, {}, { click: false })).toBe('')
    expect(submit(`<form>${buttons}</form>`, {}, { click: 'drop' }).url).toBe('http://site.test/drop?drop=D')
    expect(() => sent(buttons, {}, { click: 'none' })).toThrow(
      expect.objectContaining({ code: 'FORM_MISSING' }),
    )
  })

  it('takes given values where the field stands, several of them, or none', () => {
    const controls = '<input name=a value=1><input name=b value=2><input name=a value=3>'
    expect(sent(controls, { a: 'x' })).toBe('a=x&b=2')
    expect(sent(controls, { a: ['x', 'y'], c: 'new' })).toBe('a=x&a=y&b=2&c=new')
    expect(sent(controls, { a: null })).toBe('b=2')
  })

  it('counts the fields elsewhere that belong to the form, and not those that belong to another', () => {
    const page =
      '<input form=f name=out value=1><form id=f method=post><input name=in value=2><input form=g name=g></form>'
    expect(submit(page).body).toBe('in=2&out=1')
  })

  it('sends multipart and plain text when the form says so', () => {
    const multipart = submit(
      '<form method=post enctype=multipart/form-data><input name="a&quot;" value="orbweaver-form"></form>',
    )
    expect(multipart.contentType).toBe('multipart/form-data; boundary=orbweaver-form-')
    expect(multipart.body).toBe(
      '--orbweaver-form-\r\nContent-Disposition: form-data; name="a%22"\r\n\r\norbweaver-form\r\n--orbweaver-form---\r\n',
    )
    expect(submit('<form method=post enctype=text/plain><input name=a value=b></form>').body).toBe('a=b\r\n')
  })

  it('throws when there is no form', () => {
    expect(() => submit('<div></div>')).toThrow(expect.objectContaining({ code: 'FORM_MISSING' }))
  })
})
