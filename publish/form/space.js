// Joins the form to the Space's server: asks for the rater's sheet, then sends answers there.

const BUSY =
  "Many people begin just now, or there is no connection. This page goes on by itself. – " +
  "Gerade beginnen viele, oder es gibt keine Verbindung. Die Seite macht von selbst weiter. – " +
  "现在人很多，或没有连接。本页会自动继续。";

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

  async function opened(rater, number) {
    for (;;) {
      try {
        return await call("open_sheet", rater, number);
      } catch {
        element.querySelector("#form").textContent = BUSY;
        await new Promise((done) => setTimeout(done, 3000));
      }
    }
  }

  const memory = openMemory(`garden-path/space/${location.host}`);
  const own = memory.read() || { rater: randomNumber(), sheet: -1 };
  const sheet = await opened(own.rater, own.sheet);
  element.querySelector("#form").textContent = "";
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
