// A web server that also does something each second, as many do.
const http = require("http");

let seconds = 0;
setInterval(() => (seconds += 1), 1000);

let visits = 0;
const server = http.createServer((request, response) => response.end(`visit ${(visits += 1)}\n`));
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
