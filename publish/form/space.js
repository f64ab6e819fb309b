// Joins the form to the Space's server: asks for the rater's sheet, then sends answers there.

(async function () {
  async function call(name, ...data) {
    const answer = await fetch(new URL(`gradio_api/run/${name}`, document.baseURI), {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ data }),
    });
    if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
    return (await answer.json()).data[0];
  }

  const memory = openMemory(`garden-path/space/${location.host}`);
  const own = memory.read() || { rater: randomNumber(), sheet: -1 };
  const sheet = await call("open_sheet", own.rater, own.sheet);
  memory.write({ rater: own.rater, sheet: sheet.sheet });
  askPerson(element.querySelector("#form"), sheet, {
    rater: own.rater,
    send: async (rater, lines, first) => {
      const known = await call("answer", rater, first, lines).catch(async (error) => {
        await call("open_sheet", rater, sheet.sheet); // a server that was restarted knows nobody yet
        throw error;
      });
      return known;
    },
  });
})();
