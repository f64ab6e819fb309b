"""The paradigms of ERAS, the published 39 and the extended ones, as far as its metrics need them.

Only `.py` files travel with a metric, so these constants stand in code. Tests hold them equal to
`builders/eras/data/paradigms.tsv`, where the templates and words are, and to what
`builders/eras/data/extended.tsv`, `two_readings.tsv` and their readings decide.

Source: Li & Hao (2025), section 2.1 and Table 3.
"""

import warnings
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, cast

import numpy as np

from .columns import BoolArray, IntArray, check_ids, shown
from .option_fields import option, read_collection

Branching = Literal["left", "right"]
Sentiment = Literal["+", "0", "-"]
Row = tuple[int, Branching, Sentiment, Sentiment, str]

FIRST_ID = 40
ROWS = """
left - + 篡改革; right - + 人道歉; right + - 保守法; left 0 0 执行情; right 0 0 居住宅;
left + - 宏大意; left - + 丑闻名; left + - 精神经; right - + 主动怒; right 0 0 勤劳动;
right 0 0 医生涯; right 0 0 得知名; right 0 0 得分量; left 0 0 加大力; right 0 0 化工程;
right 0 0 流水准; left 0 0 军事实; left + - 负责难; left + - zhuren; left 0 0 繁重任;
left - + 暴动人; right - + 上流亡; right + - 发热情; left 0 0 充分享; right 0 0 营业绩;
left + - 轻松散; right - + 人道歉; right 0 0 战胜利; left 0 0 华人文; left 0 0 文学艺;
left 0 0 难民事; right 0 0 相关心; right 0 0 流经验; left 0 0 谴责任; left 0 0 听取消;
left + - 嬉戏弄; right 0 0 高价格; left + - 良好战; right 0 0 了解决; right + - 下流行;
left 0 0 完成立; right 0 0 用电话; left - + 空虚心; right - + 主动怒; left + - xinji;
left + - 看重担; right 0 0 说来访; left + - 负责难; left 0 0 出动员; left 0 0 采取得;
right 0 0 身体验; left - + 孤独特; left 0 0 画家长; left 0 0 不大理; left + - 严密谋;
right 0 0 出生命; right 0 0 创新高; right 0 0 回家乡; left 0 0 公开发; left - + 践踏实;
left - + 反感人; right 0 0 同心声; right 0 0 视频道; right 0 0 数学者; right 0 0 好人士;
right 0 0 设有机; left 0 0 变动态; left - + 主动怒; right 0 0 美学子; right 0 0 种类型;
right 0 0 品质量; left 0 0 庞大体; left - + 迷信任; left + - 良好战; left + - 庄严重;
left 0 0 基地位; left + - 发热情; right 0 0 出具体; right 0 0 协会长; right 0 0 法案件;
left 0 0 内心情; left + - 负责难; right + - 费时尚; left 0 0 推动作; left 0 0 抢夺冠;
left 0 0 旅客运; left 0 0 现实在; left 0 0 居民生; right 0 0 出国门; right 0 0 河流域;
right 0 0 富有趣; left 0 0 农家庭; left + - 宏大意; right - + 认可疑; right 0 0 外资金;
right + - 出气魄; left 0 0 果树种; left 0 0 球员工; right 0 0 分解除; right 0 0 造成功;
right 0 0 送礼品; left 0 0 实施工; left 0 0 认证实; left + - 赞叹气; right 0 0 挥手势;
left 0 0 特大火; left + - 尊重负; right 0 0 想起码; left 0 0 轮流派; left - + 主动怒;
right 0 0 无畏惧; left 0 0 股市长; right 0 0 接受理; right + - 享乐趣; right 0 0 士气愤;
left 0 0 重大事; right 0 0 管事故; right 0 0 无误会; left - + 主动怒; right 0 0 起义务;
left - + 疏远大; right 0 0 书记录; right 0 0 电报道; left 0 0 银行动; left + - 优质问;
right - + 主动怒; left - + 无能干; left - + 罢工整; right + - 发热情; left 0 0 煤矿产;
right 0 0 客人身; left 0 0 加强调; right 0 0 同学员; right 0 0 总结果; left 0 0 占地面;
right 0 0 物资源; left 0 0 落实行; left 0 0 承担任; right 0 0 物品种; right 0 0 外地质;
right 0 0 无敌意; right 0 0 女儿童; right 0 0 读书目; left - + 人道歉; right 0 0 警官兵;
left 0 0 个人生; left - + 夸大好; left 0 0 正确认; right 0 0 医学术; left 0 0 世人造;
left + - 庄严重; left 0 0 排水系; left 0 0 在建工; left 0 0 提前进; left - + 贬值得;
right 0 0 实证明; right 0 0 展开辟; right - + 好吃力; left 0 0 举办法; left 0 0 良好战;
left 0 0 总部门; left - + 夸大好; right 0 0 通道路; left + - 享受惊; left 0 0 发表演;
left 0 0 巨大成; left 0 0 筹集资; right + - 心痛快; left - + 主动怒; left + - 宏大意;
left 0 0 统计数; left - + 毒品味; left 0 0 昂贵重; right 0 0 机电池; right 0 0 作风格;
left 0 0 细心切; right - + 上流亡; right 0 0 工人数; right 0 0 方法院; left - + 擅自主;
left - + 看重担; left - + 赌博大; left - + 擅自主; right + - 负责难; left - + 孤独特;
left 0 0 适应当; right 0 0 配方式; left - + 庄严重; right 0 0 运行李; right 0 0 办事情;
left 0 0 犯罪行; right + - 局促进; right 0 0 结合作; left 0 0 勉强度; right 0 0 无理智;
right 0 0 儿女婿; left - + 抢夺冠; left 0 0 驻军官; right 0 0 加紧密; left 0 0 干部队;
right 0 0 入学习; left - + 阴沉着; right + - 发热情; right 0 0 无人事; right 0 0 从小学;
right 0 0 上当选; right 0 0 教学生; right 0 0 对手机; left 0 0 下降到; left 0 0 出现在;
right 0 0 为主体; right 0 0 不平凡; right 0 0 不停机; right 0 0 曾经商; right 0 0 大赛事;
right 0 0 对抗灾; right 0 0 是否定; right 0 0 地震动; right 0 0 会上前; right 0 0 当儿戏;
right 0 0 能否认; right 0 0 最高兴; right 0 0 按时下; right 0 0 要点点; right 0 0 对应试;
right 0 0 不知晓; right 0 0 能源源; right 0 0 办公益; right 0 0 地步入; right 0 0 人体谅;
right 0 0 有利害; right 0 0 为生计; right 0 0 喝茶水; right 0 0 字形容; right 0 0 对象棋;
right 0 0 上网球; right 0 0 上来回; left 0 0 客车上; left 0 0 衷心地; left 0 0 适用于;
left 0 0 诗人们; left 0 0 天真的; left 0 0 比分为; left 0 0 挽留住; left 0 0 收看到;
left 0 0 健身为; left 0 0 首相对; left 0 0 厂家中; left 0 0 小路上; left 0 0 磁带有;
left 0 0 肉眼看; left 0 0 院内在; left 0 0 群山中; left 0 0 沉睡着; left 0 0 站台上;
left 0 0 为名将; left 0 0 卧室内; left 0 0 榕树上; left 0 0 皮带上; right 0 0 国人民;
right 0 0 人参加; right 0 0 有理想; right 0 0 在读者; right 0 0 不满意; right 0 0 新政策;
right 0 0 了结构; right 0 0 共生产; right 0 0 新年度; right 0 0 大功夫; right 0 0 是非法;
right 0 0 共建设; right 0 0 人影响; right 0 0 了事态; right 0 0 还清理; right 0 0 得手脚;
right 0 0 对联邦; right 0 0 的确实; right 0 0 更深入; right 0 0 上书写; right 0 0 内务必;
right 0 0 正在于; right 0 0 过世面; right 0 0 便利用; right 0 0 就学会; right 0 0 下达成;
right 0 0 老话题; right 0 0 来历史; right 0 0 着眼睛; right 0 0 去路边; right 0 0 将近期;
right 0 0 点名气; right 0 0 被告知; right 0 0 应有所; right 0 0 起身子; right 0 0 难保证;
right 0 0 不甘心; right 0 0 国有关; right 0 0 使节日; right 0 0 与会计; right 0 0 起火把;
right 0 0 选项目; right 0 0 好手艺; right 0 0 把关税; right 0 0 还给予; right 0 0 将来自;
left 0 0 同志在; left 0 0 春节前; left 0 0 发现有; left 0 0 至少有; left 0 0 企业已;
left 0 0 外交上; left 0 0 直接到; left 0 0 人口中; left 0 0 团结为; left 0 0 今年头;
left 0 0 国家里; left 0 0 产生于; left 0 0 晚饭后; left 0 0 推迟到; left 0 0 亲自给;
left 0 0 决赛后; left 0 0 医院里; left 0 0 革命中; left 0 0 批评说; left 0 0 因素有;
left 0 0 油田产; left 0 0 供给与; left 0 0 装备有; left 0 0 普遍地; left 0 0 会场外;
left 0 0 手术后; left 0 0 专家用; left 0 0 打破旧; left 0 0 邀请来; left 0 0 违背对;
left 0 0 今天下; left 0 0 思想来; left 0 0 往年少; left 0 0 列车门; left 0 0 道理会;
left 0 0 人类比; left 0 0 游行会; right 0 0 地表彰; right 0 0 在外观; right 0 0 内存放;
right 0 0 个性急; right 0 0 大气球; right 0 0 不同步; right 0 0 不安定; right 0 0 地带动;
right 0 0 连连长; right 0 0 来讲述; right 0 0 从前人; right 0 0 地上课; right 0 0 照常理;
right 0 0 地盘腿; right 0 0 有限度; right 0 0 新型号; right 0 0 有名人; right 0 0 在场地;
right 0 0 有效果; right 0 0 不对口; right 0 0 乘客轮; right 0 0 货运往; right 0 0 不明晰;
right 0 0 跨国界; right 0 0 后来到; right 0 0 缺口粮; right 0 0 不难受; right 0 0 对流感;
right 0 0 内容易; left 0 0 最终于; left 0 0 反正是; left 0 0 节目的; left 0 0 冷战后;
left 0 0 脑海里; left 0 0 让位于; left 0 0 一心想; left 0 0 菜地里; left 0 0 从中学;
left 0 0 小船上; left 0 0 荒山上; left 0 0 相当地; left 0 0 车主将; left 0 0 拒绝对;
left 0 0 生存在; left 0 0 黑夜里; left 0 0 依稀有; left 0 0 即刻有; left 0 0 大连接;
left 0 0 成就是; left 0 0 县城里; left 0 0 归还原; left 0 0 业主要; left 0 0 纽带来;
left 0 0 开关上; left 0 0 供桌上; left 0 0 海水中; left 0 0 手心里; right 0 0 不符合;
right 0 0 国政府; right 0 0 用法律; right 0 0 不适合; right 0 0 天时间; right 0 0 有心理;
right 0 0 正经历; right 0 0 地处理; right 0 0 上行驶; right 0 0 以防止; right 0 0 不休息;
right 0 0 用作品; right 0 0 新任务; right 0 0 对内地; right 0 0 不配合; right 0 0 上演出;
right 0 0 个子女; right 0 0 对敌人; right 0 0 人手中; right 0 0 应考虑; right 0 0 发电子;
right 0 0 任职务; right 0 0 下发展; right 0 0 应承诺; right 0 0 钱包括; right 0 0 会展示;
right 0 0 白衣服; right 0 0 地主张; right 0 0 成文章; right 0 0 成全国; right 0 0 获奖金;
right 0 0 大麻烦; right 0 0 得出来; right 0 0 大脑袋; right 0 0 不解开; right 0 0 点心思;
right 0 0 有权力; right 0 0 过错误; right 0 0 作主题; right 0 0 本市场; right 0 0 在职业;
right 0 0 新书包; right 0 0 用语言; right 0 0 高台阶; right 0 0 下落叶; right 0 0 地点头;
right 0 0 可观赏; right 0 0 后代表; right 0 0 对视觉; left 0 0 极大地; left 0 0 究竟是;
left 0 0 坚决不; left 0 0 先后任; left 0 0 文化为; left 0 0 推出新; left 0 0 经常有;
left 0 0 森林中; left 0 0 闭幕后; left 0 0 慎重地; left 0 0 看待人; left 0 0 圆满地;
left 0 0 立即将; left 0 0 网站上; left 0 0 主任由; left 0 0 避免去; left 0 0 村民办;
left 0 0 方向上; left 0 0 选手上; left 0 0 资本来; left 0 0 黑暗中; left 0 0 习惯用;
left 0 0 故事由; left 0 0 农村里; left 0 0 成分会; left 0 0 形成长; left 0 0 提高等;
left 0 0 和平等; left 0 0 超过上; left 0 0 思考上; left 0 0 比较为; left 0 0 方面对;
right 0 0 强行列; right 0 0 在校门; right 0 0 不利索; right 0 0 国外长; right 0 0 写作业;
right 0 0 进军营; right 0 0 看病床; right 0 0 大公害; right 0 0 很快乐; right 0 0 着手电;
right 0 0 后果断; right 0 0 对外界; right 0 0 将领到; right 0 0 有益处; right 0 0 在座椅;
right 0 0 加油门; left 0 0 投标的; left 0 0 小屋里; left 0 0 一早就; left 0 0 传达到;
left 0 0 马上去; left 0 0 包含量; left 0 0 挤出钱; left 0 0 日前来; right 0 0 先生活;
right 0 0 自发布; right 0 0 可知道; right 0 0 人称为; right 0 0 应得到; right 0 0 有情况;
right 0 0 前提出; right 0 0 回乡下; right 0 0 外公布; right 0 0 对比赛; right 0 0 到手里;
right 0 0 开机器; right 0 0 从头顶; right 0 0 中等待; right 0 0 使出版; right 0 0 起降低;
right 0 0 如愿意; right 0 0 保重点; left 0 0 大选中; left 0 0 声明说; left 0 0 一直到;
left 0 0 观众将; left 0 0 天生就; left 0 0 总统称; left 0 0 双方可; left 0 0 结婚前;
left 0 0 描写成; left 0 0 厂长处; left 0 0 土地租; left 0 0 声音像; left 0 0 男人间
"""
"""Branching, true sentiment, canary sentiment, family, in the order of their ids."""


def _row(place: int, text: str) -> Row:
    branching, true, canary, family = text.split()
    sentiments = cast(Sentiment, true), cast(Sentiment, canary)
    return FIRST_ID + place, cast(Branching, branching), *sentiments, family


EXTENDED: tuple[Row, ...] = tuple(_row(i, text) for i, text in enumerate(ROWS.split(";")))
"""Id, branching, true sentiment, canary sentiment, family; ids go on after the 39."""
STRINGS = """
left:和尚未 right:人参与 right:对方向 left:从小学 right:早上学 left:晚上课 right:会长大
left:新人才 right:对面积 left:对面积 right:对手下 left:对手下 right:对手下 right:将军用
right:市长江 left:课本来 right:课本来 left:对面积 left:对面积 left:对面积 right:地上来
left:地下来 right:地道出 left:地主持 right:地主持 left:地区分 left:不过分 left:人口中
right:从中学 left:在家长 right:早上学 left:早上学 right:上当时 left:在家长 right:当天气
left:当年轻 left:当中心 right:对面积 left:对面积 right:当初中 left:当作家 right:以为人
left:为难得 left:和解放 right:与其他 right:还好人 right:分工作 right:发现金 right:将来信
left:以前往 right:上当时 left:上当时 left:对象牙 right:对象牙 left:晚上课 right:将来信
right:对手下 left:和服装 left:大海带 left:好心得 left:关门前
"""
"""Strings with two readings, in the order of their ids: branching of the test, then family."""


def _string(text: str) -> tuple[bool, str]:
    branching, family = text.split(":")
    return branching == "left", family


class Paradigm(NamedTuple):
    """One minimal-pair paradigm.

    `branching` is left where the first two characters of the test site are the true word, right
    where the last two are. `family` names the paradigms that share a true or canary word, directly
    or through others. `is_exact_pair`: test and control differ in the test site only; false for
    paradigm 36, which also differs in the character after it. `is_occlusion_degenerate`: test and
    control differ in the occluded character only, so their occluded sentences are the same string.
    The paradigms of the paper all have a true sentiment; of the extended ones some have none (`0`).
    `has_two_readings`: the control has the same site, which is cut the other way there.
    """

    paradigm_id: int
    branching: Literal["left", "right"]
    true_sentiment: Literal["+", "0", "-"]
    canary_sentiment: Literal["+", "0", "-"]
    family: str
    is_exact_pair: bool
    is_occlusion_degenerate: bool
    has_two_readings: bool = False

    @property
    def sentiment(self) -> str:
        """True and canary sentiment as the paper writes them, such as `+/-`."""
        return f"{self.true_sentiment}/{self.canary_sentiment}"


PARADIGMS = (
    Paradigm(1, "left", "+", "-", "xinji", True, False),
    Paradigm(2, "right", "-", "+", "xinji", True, False),
    Paradigm(3, "left", "+", "-", "xinji", True, False),
    Paradigm(4, "right", "-", "+", "xinji", True, False),
    Paradigm(5, "left", "+", "-", "xinji", True, False),
    Paradigm(6, "right", "-", "+", "xinji", True, False),
    Paradigm(7, "left", "+", "-", "huiji", True, True),
    Paradigm(8, "right", "-", "+", "huiji", True, False),
    Paradigm(9, "left", "+", "-", "zoulou", True, False),
    Paradigm(10, "right", "-", "+", "zoulou", True, False),
    Paradigm(11, "left", "+", "-", "zoulou", True, False),
    Paradigm(12, "right", "-", "+", "zoulou", True, False),
    Paradigm(13, "left", "+", "-", "cizhen", True, False),
    Paradigm(14, "right", "-", "+", "cizhen", True, False),
    Paradigm(15, "left", "+", "-", "fucong", True, False),
    Paradigm(16, "right", "-", "+", "fucong", True, False),
    Paradigm(17, "left", "+", "-", "zuifan", True, False),
    Paradigm(18, "right", "-", "+", "zuifan", True, False),
    Paradigm(19, "right", "-", "0", "chuzou", True, False),
    Paradigm(20, "left", "-", "0", "qushi", True, False),
    Paradigm(21, "left", "-", "0", "youqing", True, True),
    Paradigm(22, "left", "-", "0", "nonglai", True, True),
    Paradigm(23, "left", "-", "0", "nonglai", True, False),
    Paradigm(24, "left", "-", "0", "nonglai", True, False),
    Paradigm(25, "left", "-", "0", "nonglai", True, False),
    Paradigm(26, "right", "-", "0", "yijian", True, False),
    Paradigm(27, "right", "-", "0", "jiezou", True, False),
    Paradigm(28, "right", "-", "0", "jiezou", True, False),
    Paradigm(29, "right", "-", "0", "nonglai", True, False),
    Paradigm(30, "left", "+", "0", "zhuren", True, True),
    Paradigm(31, "left", "+", "0", "liyan", True, True),
    Paradigm(32, "right", "+", "0", "lijie", True, False),
    Paradigm(33, "left", "+", "0", "yitu", True, False),
    Paradigm(34, "left", "+", "0", "liyan", True, False),
    Paradigm(35, "left", "+", "0", "dezi", True, False),
    Paradigm(36, "left", "+", "0", "dezi", False, False),
    Paradigm(37, "left", "+", "0", "dezi", True, False),
    Paradigm(38, "left", "+", "0", "weidao", True, True),
    Paradigm(39, "right", "+", "0", "tongyi", True, False),
)
N_PARADIGMS = len(PARADIGMS)
LAST_EXTENDED = N_PARADIGMS + len(EXTENDED)
TWO_READINGS = tuple(
    Paradigm(
        LAST_EXTENDED + i, "left" if is_left else "right", "0", "0", family, False, False, True
    )
    for i, (is_left, family) in enumerate(map(_string, STRINGS.split()), 1)
)
EVERY_PARADIGM = (
    *PARADIGMS,
    *(Paradigm(*row, True, False) for row in EXTENDED),
    *TWO_READINGS,
)
"""The published ones, the extended ones, strings with two readings; a place is an id less 1."""
LAST_ID = len(EVERY_PARADIGM)
GROUPS: dict[str, tuple[int, ...]] = {
    "inexact": tuple(p.paradigm_id for p in PARADIGMS if not p.is_exact_pair),
    "degenerate": tuple(p.paradigm_id for p in PARADIGMS if p.is_occlusion_degenerate),
    "not_a_clause": (9, 30, 33),
    "globally_ambiguous": (16,),
    "arguably_ambiguous": (7, 8, 9, 10, 12, 14, 15, 19, 21, 23, 24, 25, 28, 29, 32, 33, 34),
    "control_ill_formed": (33,),
    "control_keeps_true_word": (7, 21, 22, 30, 31, 36, 38),
    "extended": tuple(range(N_PARADIGMS + 1, LAST_EXTENDED + 1)),
    "two_readings": tuple(p.paradigm_id for p in TWO_READINGS),
    "true_word_not_in_as": (11, 28),
    "true_word_not_in_cityu": (3, 7, 11, 21, 23, 28, 35, 36, 37),
    "true_word_not_in_msr": (2, 4, 6, 7, 10, 11, 12, 14, 23, 28, 30, 35, 36, 37),
    "true_word_not_in_pku": (
        *(5, 7, 10, 11, 12, 14, 17, 19, 22),
        *(23, 24, 25, 28, 29, 30, 35, 36, 37),
    ),
    "canary_word_not_in_as": (12,),
    "canary_word_not_in_cityu": (4, 8, 12, 20, 22, 23, 24, 25, 27, 28, 31, 34, 35),
    "canary_word_not_in_msr": (
        *(1, 3, 5, 8, 9, 11, 12, 13, 20, 22),
        *(23, 24, 25, 27, 28, 29, 31, 34, 35, 37),
    ),
    "canary_word_not_in_pku": (
        *(6, 8, 9, 11, 12, 13, 18, 20, 22, 23),
        *(24, 25, 27, 28, 29, 31, 34, 35, 37),
    ),
}
"""Paradigms that `exclude` takes by a name; lexicons are the 2005 Bakeoff's training sets."""
FAMILIES = np.array([paradigm.family for paradigm in EVERY_PARADIGM])
HAS_SENTIMENT: BoolArray = np.array([paradigm.true_sentiment != "0" for paradigm in EVERY_PARADIGM])
SITE_LENGTH = 3  # characters in which test and control differ


def read_excluded(where: str, exclude: Any) -> tuple[int, ...]:
    """Sorted ids of the paradigms to leave out; a ValueError that begins with `where` otherwise."""
    expected = f"paradigm ids from 1 to {LAST_ID} or names of groups, such as [36, 'degenerate']"
    found: set[int] = set()
    for given in read_collection(where, exclude, f"a list of {expected}"):
        if isinstance(given, str) and given in GROUPS:
            found |= set(GROUPS[given])
        elif not _is_paradigm(given):
            names = f"; groups are {', '.join(GROUPS)}" if isinstance(given, str) else ""
            raise ValueError(f"{where}, got {shown(given)}; expected a list of {expected}{names}")
        else:
            found.add(int(given))
    return tuple(sorted(found))


def _is_paradigm(given: Any) -> bool:
    is_whole = isinstance(given, int | np.integer) and not isinstance(given, bool)
    return is_whole and 1 <= given <= LAST_ID


def exclude_option() -> Any:
    """Field `exclude` of a metric's options."""
    return option(
        (),
        "paradigms to leave out",
        read=read_excluded,
        expected="a list of paradigm ids or names of groups of them",
    )


def cluster_option() -> Any:
    """Field `cluster` of a metric's options: what was sampled together; see `decided_cluster`."""
    return option(
        None,
        "what the intervals are about; a family is the paradigms that share a word",
        choices=("family", "paradigm"),
        none="family, or paradigm with mode='paper'",
    )


def decided_cluster(cluster: str | None, mode: str) -> str:
    """Cluster of the intervals where the option leaves it to the mode."""
    return cluster or ("paradigm" if mode == "paper" else "family")


def check_one_script(
    where: str, paradigm_ids: Sequence[int], tests: Sequence[str], starts: Sequence[int]
) -> None:
    """Raises a ValueError where pairs of one paradigm have different sites: two scripts at once.

    The simplified and the traditional config hold the same pairs, so that scoring both together
    counts everything twice.
    """
    sites: dict[int, str] = {}
    for i, (paradigm_id, test, start) in enumerate(zip(paradigm_ids, tests, starts, strict=True)):
        site = test[start : start + SITE_LENGTH]
        if sites.setdefault(paradigm_id, site) != site:
            raise ValueError(
                f"{where}[{i}]: got the site {site} beside {sites[paradigm_id]} of paradigm "
                f"{paradigm_id}; expected one script, simplified or traditional"
            )


def check_distinct(where: str, ids: Sequence[str] | None, tests: Sequence[str]) -> None:
    """Raises a ValueError where an `id` occurs twice; warns where sentences do."""
    if ids is not None:
        check_ids(where, ids)
    elif len(set(tests)) < len(tests):
        warnings.warn(
            f"{where}: got {len(tests) - len(set(tests))} sentences more than once; "
            "each counts as often as it occurs",
            stacklevel=2,
        )


def cluster_index(paradigm_ids: IntArray, cluster: str | None) -> IntArray:
    """Cluster of each paradigm as 0, 1, ...

    "paradigm" is one each, "family" one for all that share a word.

    Args:
        paradigm_ids: The paradigms that were scored, shape (c,), each once.
        cluster: "paradigm" or "family".
    """
    labels = FAMILIES[paradigm_ids - 1] if cluster == "family" else paradigm_ids
    return np.unique(labels, return_inverse=True)[1].astype(np.int64)
